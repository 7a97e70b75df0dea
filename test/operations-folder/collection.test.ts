import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getLocation, print } from 'graphql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Collection, readCollection, type SavedOperation } from '../../src/operations/collection.js'
import { OptionsError } from '../../src/options/program.js'
import { OPERATIONS_FOLDER, SAVED_OPERATIONS } from '../support/saved-operations.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operations-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

function read(files: Readonly<Record<string, string>>): Collection {
  write(files)
  return readCollection(folder)
}

/** The only operation of a file. */
const only = (text: string): SavedOperation => read({ 'a.graphql': text }).operations[0] as SavedOperation

/** The complaints about files, with the folder left out. */
function complaints(files: Readonly<Record<string, string>>): readonly string[] {
  write(files)
  try {
    readCollection(folder)
  } catch (error) {
    if (error instanceof OptionsError) return error.complaints.map((each) => each.replaceAll(`${folder}/`, '').replaceAll(folder, 'FOLDER'))
    throw error
  }
  return []
}

const PLAIN = { description: '', folder: '', group: null, role: null, variables: null, ids: null, choose: null, needs: null }

describe('the comment lines above an operation', () => {
  it('are its title, its description and its settings, and the rest is kept for the editor', () => {
    const text = [
      '# A course page',
      '# What a learner sees.',
      '# group: For learners',
      '# role: learner',
      '# variables: {"id": 7}',
      '# ids: {"id": "course"}',
      '# choose: Put an id there.',
      '# needs: a learner, because others see less, because they pay less',
      'query Course($id: ID!) {',
      '  x # role: admin',
      '}',
      '',
    ]
    const { document, ...operation } = only(text.join('\r\n'))
    expect(operation).toEqual({
      name: 'Course',
      kind: 'query',
      title: 'A course page',
      description: 'What a learner sees.',
      folder: '',
      query: '# A course page\n# What a learner sees.\nquery Course($id: ID!) {\n  x # role: admin\n}',
      variables: { id: 7 },
      ids: { id: 'course' },
      choose: 'Put an id there.',
      group: 'For learners',
      role: 'learner',
      needs: { who: 'a learner', why: 'others see less, because they pay less' },
    })
    expect(print(document)).toBe('query Course($id: ID!) {\n  x\n}')
  })

  it.each<[text: string, expected: Partial<SavedOperation>]>([
    ['query A { a }', { title: 'A', query: 'query A { a }' }],
    ['# role: editor\nquery A { a }', { title: 'A', query: 'query A { a }', role: 'editor' }],
    ['#Title\n#ROLE:editor\nquery A { a }', { title: 'Title', query: '#Title\nquery A { a }', role: 'editor' }],
    ['## Title\nquery A { a }', { title: 'Title', query: '## Title\nquery A { a }' }],
    ['# Title\n\nquery A { a }', { title: 'Title', query: '# Title\nquery A { a }' }],
    ['# T\n# D\nmutation A { m }', { title: 'T', description: 'D', query: '# T\n# D\nmutation A { m }', kind: 'mutation' }],
    ['# T\nsubscription A { m }', { title: 'T', query: '# T\nsubscription A { m }', kind: 'subscription' }],
    ['# T\n# mutation\nquery A { m }', { title: 'T', description: 'mutation', query: '# T\n# mutation\nquery A { m }' }],
    ['# T\n#import "./b.graphql"\nquery A { m }', { title: 'T', query: '# T\nquery A { m }' }],
    ['\uFEFF# T\nquery A { m }', { title: 'T', query: '# T\nquery A { m }' }],
  ])('%j', (text, expected) => {
    const { document, ...operation } = only(text)
    expect(operation).toEqual({ ...PLAIN, name: 'A', kind: 'query', ...expected })
  })

  it('belong to each operation of a file with several, directly above it', () => {
    const text = '# Licence\n\n# First\n# group: G\nquery A { a }\n# Second\nquery B { b } # of B\nquery C { c }'
    const shown = read({ 'a.graphql': text }).operations.map(({ name, title, group, query }) => ({ name, title, group, query }))
    expect(shown).toEqual([
      { name: 'A', title: 'First', group: 'G', query: '# First\nquery A { a }' },
      { name: 'B', title: 'Second', group: null, query: '# Second\nquery B { b }' },
      { name: 'C', title: 'C', group: null, query: 'query C { c }' },
    ])
  })

  it('can be at the top of a file with one operation, where a fragment may come first', () => {
    const fragment = 'fragment F on T { f }'
    expect(only(`# Page\n# role: learner\n${fragment}\n\nquery A { ...F }`)).toMatchObject({
      title: 'Page',
      role: 'learner',
      query: `# Page\nquery A { ...F }\n\n${fragment}`,
    })
    // The lines directly above have the title where both are there: those at the top may be a licence.
    expect(only(`# Licence\n# role: learner\n\n# Of the fragment\n${fragment}\n\n# Page\nquery A { ...F }`)).toMatchObject({
      title: 'Page',
      role: 'learner',
      query: `# Page\nquery A { ...F }\n\n# Of the fragment\n${fragment}`,
    })
  })

  it.each(['variables', 'ids'].flatMap((setting) => ['', '7', '[]', 'null', '{"id": 7', "{id: '7'}"].map((json) => [setting, json])))(
    'are refused with %s %j, with their place',
    (setting, json) => {
      expect(complaints({ 'x/a.graphql': `# A\n# ${setting}: ${json}\nquery A { a }` })).toEqual([
        `x/a.graphql:2:1: "# ${setting}:" must be followed by a JSON object on the same line, not ${json || 'nothing'}.`,
      ])
    },
  )

  it.each([
    ['needs: ', 'say who, and why: "a user, because ...", not nothing'],
    ['needs: an administrator', 'say who, and why: "a user, because ...", not an administrator'],
    ['needs: , because nobody else may', 'say who, and why: "a user, because ...", not , because nobody else may'],
    ['role: ', 'be one of visitor, learner, editor, administrator, not nothing'],
    ['role: Learner', 'be one of visitor, learner, editor, administrator, not Learner'],
    ['group: ', 'name a group, not nothing'],
    ['choose:', 'say what to do, not nothing'],
  ])('are refused with "%s"', (setting, rule) => {
    const [name] = setting.split(':')
    expect(complaints({ 'a.gql': `# A\n# ${setting}\nquery A { a }` })).toEqual([`a.gql:2:1: "# ${name}:" must ${rule}.`])
  })
})

describe('a folder of operations', () => {
  it('is read in the order of names, with its folders, and without hidden ones and packages', () => {
    const { operations } = read({
      'b.graphql': 'query B { b }',
      'a/z.gql': 'query Z { z }',
      'a/deep/er.graphql': 'query Deep { d }',
      'readme.md': 'query Readme {',
      '.git/x.graphql': 'query Hidden {',
      'node_modules/x/x.graphql': 'type X { x: Int }',
    })
    expect(operations.map(({ name, folder }) => [name, folder])).toEqual([
      ['Deep', 'a/deep'],
      ['Z', 'a'],
      ['B', ''],
    ])
  })

  it('may hold links to files, as mounted ones do, but links to folders are not followed, and pipes are left out', () => {
    write({ '.data/a.graphql': 'query A { a }', 'b/b.graphql': 'query B { b }' })
    symlinkSync('.data/a.graphql', join(folder, 'a.graphql'))
    symlinkSync('.', join(folder, 'circle'))
    // To read a pipe is to wait for its writer.
    execFileSync('mkfifo', [join(folder, 'pipe.graphql')])
    expect(readCollection(folder).operations.map(({ name }) => name)).toEqual(['A', 'B'])
  })

  it('shares fragments between its files: each operation gets those that it uses, once, in the order of use', () => {
    const { operations, unusedFragments } = read({
      'a.graphql': 'query A { ...Two ...One }\nquery B { b }',
      'f/one.graphql': '# The first\nfragment One on T { one ...Three }',
      'f/two.graphql': 'fragment Two on T { two ...Three }\nfragment Three on T { three }\nfragment Four on T { four ...Three }',
    })
    expect(operations.map(({ query }) => query)).toEqual([
      [
        'query A { ...Two ...One }',
        'fragment Two on T { two ...Three }',
        'fragment Three on T { three }',
        '# The first\nfragment One on T { one ...Three }',
      ].join('\n\n'),
      'query B { b }',
    ])
    const places = operations[0]?.document.definitions.map(({ loc }) => {
      const { line, column } = getLocation(loc!.source, loc!.start)
      return `${loc!.source.name}:${line}:${column}`
    })
    expect(places).toEqual([
      `${folder}/a.graphql:1:1`,
      `${folder}/f/two.graphql:1:1`,
      `${folder}/f/two.graphql:2:1`,
      `${folder}/f/one.graphql:2:1`,
    ])
    expect(unusedFragments.map(({ name }) => name.value)).toEqual(['Four'])
  })

  it('is refused with all that is wrong, each with its place', () => {
    const files = {
      'a.graphql': 'query A { ...Fragmant }\nquery A { b }\n{ c }',
      'b.graphql': 'query B {\n  b(\n}',
      'c.graphql': 'fragment Fragment on T { ...Other }\nfragment Other on T { ...Fragment }\nfragment Itself on T { t { ...Itself } }',
      'd.graphql': '',
      'e.graphql': 'fragment Fragment on T { t }\ntype T { t: Int }',
      'f.graphql': `# ${'x'.repeat(1_000_000)}\nquery F { f }`,
    }
    expect(complaints(files)).toEqual([
      'b.graphql:3:1: Syntax Error: Expected Name, found "}".',
      'd.graphql:1:1: Syntax Error: Unexpected <EOF>.',
      'f.graphql:1:1: The file is larger than 1 MB.',
      'e.graphql:2:1: The "T" definition is not executable.',
      'a.graphql:1:14: Unknown fragment "Fragmant".',
      'a.graphql:2:7: There can be only one operation named "A". See a.graphql:1:7.',
      'c.graphql:2:23: Cannot spread fragment "Fragment" within itself via "Other". See c.graphql:1:26.',
      'c.graphql:3:28: Cannot spread fragment "Itself" within itself.',
      'e.graphql:1:10: There can be only one fragment named "Fragment". See c.graphql:1:10.',
      'a.graphql:3:1: This operation has no name.',
    ])
  })

  it.each<[what: string, files: Readonly<Record<string, string>>]>([
    ['no file', {}],
    ['fragments only', { 'a.graphql': 'fragment F on T { f }' }],
  ])('is refused with %s', (_, files) => {
    expect(complaints(files)).toEqual(['The folder `FOLDER` has no operation.'])
  })

  it('is refused when it does not exist, or is a file', () => {
    expect(() => readCollection(join(folder, 'missing'))).toThrow(`The folder \`${folder}/missing\` does not exist.`)
    write({ file: '' })
    expect(() => readCollection(join(folder, 'file'))).toThrow(`The folder \`${folder}/file\` is not a folder.`)
  })

  it('is read when it is named with a slash at the end, or from the current folder', () => {
    write({ 'x/a.graphql': 'query A { a }' })
    for (const name of [`${folder}/`, `${folder}/./`])
      expect(readCollection(name).operations.map(({ name, folder }) => [name, folder])).toEqual([['A', 'x']])
    const [first] = readCollection('schema/operations').operations
    expect(first?.document.definitions[0]?.loc?.source.name).toBe('schema/operations/01-groups-and-courses.graphql')
    expect(readCollection('./schema/operations/').operations.map(({ folder }) => folder)).toEqual(SAVED_OPERATIONS.map(() => ''))
  })

  it('may have thousands of operations with fragments of fragments', () => {
    const fragments = Array.from({ length: 1_000 }, (_, n) => `fragment F${n} on T { f${n} ${n % 10 === 9 ? '' : `...F${n + 1}`} }`)
    write({ 'fragments.graphql': fragments.join('\n') })
    for (let n = 0; n < 50; n++) {
      const operations = Array.from({ length: 100 }, (_, m) => `# Number ${m}\nquery Q${n}x${m} { ...F${(n * 100 + m) % 1_000} }`)
      write({ [`${n}.graphql`]: operations.join('\n') })
    }
    expect(readCollection(folder).operations).toHaveLength(5_000)
  })
})

describe('the operations of this repository', () => {
  it('each have a title of their own, a description, a group, and a reason if they need a user', () => {
    expect(SAVED_OPERATIONS.length).toBeGreaterThan(10)
    expect(new Set(SAVED_OPERATIONS.map(({ title }) => title)).size).toBe(SAVED_OPERATIONS.length)
    const titles = (isWrong: (operation: SavedOperation) => boolean): string[] => SAVED_OPERATIONS.filter(isWrong).map(({ title }) => title)
    expect(titles(({ query, title, description }) => !query.startsWith(`# ${title}\n# ${description}\n`))).toEqual([])
    expect(titles(({ group }) => group === null)).toEqual([])
    expect(titles(({ role, needs }) => (role === null) !== (needs === null))).toEqual([])
    expect(titles(({ ids, choose }) => ids !== null && JSON.stringify(ids).includes('"choose"') !== (choose !== null))).toEqual([])
  })

  it('are shown as they are written, without their settings', () => {
    for (const { file, query } of SAVED_OPERATIONS) {
      const text = readFileSync(join(OPERATIONS_FOLDER, file), 'utf8')
      expect(query).toBe(text.replace(/^# (group|role|variables|ids|choose|needs): .*\n/gm, '').trim())
    }
  })
})
