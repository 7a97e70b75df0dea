import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isExample, parseExample } from '../../src/graphiql/operations/collection.js'

const PLAIN = { description: '', variables: null, ids: null, choose: null, group: null, user: null, needs: null, writes: false }

describe('parseExample', () => {
  it('reads title, description and settings from the leading comment, and keeps the rest for the editor', () => {
    const text = [
      '# A course page',
      '# What a learner sees.',
      '# group: learner',
      '# as: learner',
      '# variables: {"id": 7}',
      '# ids: {"id": "course"}',
      '# choose: Put an id there.',
      '# needs: a learner, because others see less, because they pay less',
      'query Course($id: ID!) {',
      '  x # as: admin',
      '}',
      '',
    ]
    expect(parseExample('schema/operations/02-course.graphql', text.join('\r\n'))).toEqual({
      title: 'A course page',
      description: 'What a learner sees.',
      query: '# A course page\n# What a learner sees.\nquery Course($id: ID!) {\n  x # as: admin\n}',
      variables: { id: 7 },
      ids: { id: 'course' },
      choose: 'Put an id there.',
      group: 'learner',
      user: 'learner',
      needs: { who: 'a learner', why: 'others see less, because they pay less' },
      writes: false,
    })
  })

  it.each([
    ['query A { a }', { title: 'a', query: 'query A { a }' }],
    ['# as: admin\n{ a }', { title: 'a', query: '{ a }', user: 'admin' }],
    ['#Title\n#AS:admin\n{ a }', { title: 'Title', query: '#Title\n{ a }', user: 'admin' }],
    ['# Title\n\n# as: admin\n{ a }', { title: 'Title', query: '# Title\n\n# as: admin\n{ a }' }],
    ['# Only a comment', { title: 'Only a comment', query: '# Only a comment' }],
    ['# T\n# D\nmutation M { m }', { title: 'T', description: 'D', query: '# T\n# D\nmutation M { m }', writes: true }],
    ['# T\n# mutation\nquery M { m }', { title: 'T', description: 'mutation', query: '# T\n# mutation\nquery M { m }' }],
  ])('%j', (text, expected) => {
    expect(parseExample('x/a.graphql', text)).toEqual({ ...PLAIN, ...expected })
  })

  it.each(['variables', 'ids'].flatMap((setting) => ['', '7', '[]', 'null', '{"id": 7', "{id: '7'}"].map((json) => [setting, json])))(
    'refuses as %s %j, and names the file',
    (setting, json) => {
      expect(() => parseExample('schema/operations/01-a.graphql', `# A\n# ${setting}: ${json}\n{ a }`)).toThrow(
        `01-a.graphql: "# ${setting}:" must be followed by a JSON object on the same line, not ${json || 'nothing'}`,
      )
    },
  )

  it.each(['', 'an administrator', ', because nobody else may'])('refuses needs without who or why: %j', (needs) => {
    expect(() => parseExample('schema/operations/01-a.graphql', `# A\n# needs: ${needs}\n{ a }`)).toThrow(
      `01-a.graphql: "# needs:" must say who, and why: "a user, because ...", not ${needs || 'nothing'}`,
    )
  })

  it.each(['', 'visitors', 'Learner'])('refuses a group that is none: %j', (group) => {
    expect(() => parseExample('schema/operations/01-a.graphql', `# A\n# group: ${group}\n{ a }`)).toThrow(
      `01-a.graphql: "# group:" must be one of visitor, learner, editor, not ${group || 'nothing'}`,
    )
  })

  it('reads every example operation: each has a title of its own, a description, a group, and a reason if it needs a user', () => {
    const folder = new URL('../../schema/operations/', import.meta.url)
    const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'))
    const examples = files.map((file) => parseExample(file, readFileSync(new URL(file, folder), 'utf8')))
    expect(new Set(examples.map(({ title }) => title)).size).toBe(files.length)
    expect(examples.filter(({ query, description }) => !query.includes(`\n# ${description}\n`)).map(({ title }) => title)).toEqual([])
    expect(examples.filter(({ group }) => group === null).map(({ title }) => title)).toEqual([])
    expect(examples.filter(({ user, needs }) => (user === null) !== (needs === null)).map(({ title }) => title)).toEqual([])
    expect(examples.filter(({ ids, choose }) => JSON.stringify(ids)?.includes('"choose"') !== (choose !== null) && ids)).toEqual([])
  })
})

describe('isExample', () => {
  const example = parseExample('a.graphql', '# A page\n# Of it.\nquery A { a }')

  it.each([
    [example.query, true],
    ['\n#  A page \n{ changed }', true],
    ['# A page of another kind\n{ a }', false],
    ['A page', false],
    ['{ a } # A page', false],
    ['', false],
    [null, false],
  ])('of %j is %s', (query, expected) => {
    expect(isExample(query, example)).toBe(expected)
  })
})
