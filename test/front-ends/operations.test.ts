import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage } from '../docs/page.js'
import { Command } from '../support/command.js'
import { sleep, until } from '../support/hosted.js'

// What docs/front-ends/operations.md says beside its commands, which test/docs runs.

const page = readPage('docs/front-ends/operations.md')

/** The files of the page. */
const FILES = page.blocks.flatMap(({ directive: { name }, text }) => (name === undefined ? [] : [[name, text] as const]))
const file = (name: string): string => FILES.find(([each]) => each === name)?.[1] as string

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('docs/front-ends/operations.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-operations-'))
  const commands: Command[] = []
  beforeAll(() => {
    for (const [name, text] of FILES) write(name, text)
  })
  afterAll(async () => {
    for (const command of commands) await command.stop()
    rmSync(folder, { recursive: true })
  })

  function write(name: string, text: string): void {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }

  /** Starts the gateway in the folder of the page, with its log as JSON. */
  async function start(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const command = new Command([...flags, '--port', '0', '--log-format', 'json'], env, [], { cwd: folder })
    commands.push(command)
    const url = `${await command.address()}/graphql`
    const post = async (body: object): Promise<any> => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    }
    return { command, url, post, collection: async () => (await (await fetch(`${url}/graphiql/operations.json`)).json()) as any }
  }

  it('has a manifest with the hash of its document', () => {
    const [[hash, text] = []] = Object.entries<string>(JSON.parse(file('documents.json')))
    expect(hash).toBe(sha256(text as string))
  })

  it('has a settings file whose paths are relative to its folder', async () => {
    expect(page.source).toContain('in a settings file, relative to the folder of that file')
    for (const [index, operations] of ['../operations', '../documents.json'].entries()) {
      write(`settings/${index}.yaml`, `http:\n  operations: ${operations}\n  onlyTrusted: true\n`)
      const { post } = await start(['--config', `settings/${index}.yaml`])
      const request = index === 0 ? { documentId: 'Catalogue' } : { documentId: `sha256:${sha256('{ courses { totalCount } }')}` }
      expect(await post(request)).toMatchObject({ data: { courses: { totalCount: 120 } } })
      // The code is on the page.
      expect(page.source).toContain('`DOCUMENT_NOT_TRUSTED`')
      const refused = await post({ query: '{ groups { totalCount } }' })
      expect(refused).toMatchObject({ errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }] })
    }
  })

  it('shows operations as GraphiQL gets them, with the fragments of other files', async () => {
    const { collection } = await start(['--operations', 'operations'])
    const { operations } = await collection()
    expect(operations.map(({ name, title, group, folder: of }: any) => ({ name, title, group, of }))).toEqual([
      { name: 'Catalogue', title: 'Catalogue', group: 'For visitors', of: '' },
      { name: 'CoursePage', title: 'The page of a course', group: 'For visitors', of: '' },
      { name: 'Search', title: 'Search', group: null, of: '' },
    ])
    expect(operations[0].query).toContain('fragment CourseCard on Course')
    expect(operations[1]).toMatchObject({ variables: { id: 10001 }, ids: { id: 'course' } })
    expect(operations[1].query).not.toContain('# ids:')
  })

  it('says what happens to operations that do not fit the graph, at the start and after a reload', async () => {
    expect(page.source).toContain('cause one warning in the log, with their names and the first error of each')
    const own = (documents: object): void => write('own.json', JSON.stringify(documents))
    own({ good: '{ courses { totalCount } }', old: '{ courses { total } }', cut: '{ courses {' })
    const { command } = await start(['--operations', 'own.json'])
    const warnings = (): unknown[] =>
      command.printed
        .split('\n')
        .filter((line) => line.includes('do not fit the graph'))
        .map((line) => {
          const { level, count, documents } = JSON.parse(line)
          return { level, count, documents }
        })
    const old = expect.stringContaining('old: Cannot query field "total" on type "CourseConnection"')
    const cut = expect.stringContaining('cut: Syntax Error')
    await until(() => warnings().length, 1)
    expect(warnings()).toEqual([{ level: 'warn', count: 2, documents: [old, cut] }])
    const reload = async (documents: object): Promise<void> => {
      own(documents)
      const before = command.printed.split('reloaded').length
      command.child.kill('SIGHUP')
      await until(() => command.printed.split('reloaded').length, before + 1)
    }
    const many = Array.from({ length: 12 }, (_, index) => [`old${index}`, `{ courses { total${index} } }`])
    await reload(Object.fromEntries(many))
    await until(() => warnings().length, 2)
    expect(warnings()[1]).toMatchObject({ count: 12, documents: { length: 10 } })
    await reload({ good: '{ courses { totalCount } }' })
    await sleep(200)
    expect(warnings()).toHaveLength(2)
  })

  it('gets through a large manifest while nothing else happens', async () => {
    const good = Array.from({ length: 500 }, (_, index) => [`good${index}`, `{ courses { count${index}: totalCount } }`])
    write('large.json', JSON.stringify(Object.fromEntries([...good, ['old', '{ courses { total } }']])))
    const { command } = await start(['--operations', 'large.json'])
    await until(() => command.printed.includes('do not fit the graph'))
  })

  it('says when a changed folder is read again, and that faults leave the former operations', async () => {
    expect(page.source).toContain('While `NODE_ENV` is not `production`, the command reads the folder again when a file changes')
    const { command, collection, post } = await start(['--operations', 'operations'])
    const names = async (): Promise<string[]> => (await collection()).operations.map(({ name }: { name: string }) => name)
    write('operations/groups/list.graphql', 'query Groups { groups { totalCount } }\n')
    await expect.poll(names).toEqual(['Catalogue', 'CoursePage', 'Groups', 'Search'])
    expect(await post({ documentId: 'Groups' })).toMatchObject({ data: { groups: { totalCount: expect.any(Number) } } })
    write('operations/groups/list.graphql', 'query Groups { groups { totalCount }\nquery { groups { totalCount } }\n')
    await until(() => command.printed.includes('groups/list.graphql:'))
    expect(await names()).toContain('Groups')
    rmSync(join(folder, 'operations/groups'), { recursive: true })
    await expect.poll(names).toEqual(['Catalogue', 'CoursePage', 'Search'])
  })

  it('says that a folder with faults stops the start, with all of them', async () => {
    expect(page.source).toContain('A folder that cannot be read as a whole stops the start, with every fault and its place')
    write('wrong/one.graphql', '# variables: first\nquery One { courses { ...Missing } }\n')
    write('wrong/two.graphql', 'query One { groups { totalCount } }\nquery { groups { totalCount } }\n')
    const { code, stderr } = await new Command(['--operations', 'wrong'], {}, [], { cwd: folder }).ended
    expect(code).toBe(2)
    for (const place of ['one.graphql:1:1: ', 'one.graphql:2:26: ', 'two.graphql:1:7: ', 'two.graphql:2:1: '])
      expect(stderr).toContain(`wrong/${place}`)
  })
})
