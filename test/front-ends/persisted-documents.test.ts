import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { sleep, until } from '../support/hosted.js'

const page = readFileSync(new URL('../../docs/front-ends/persisted-documents.md', import.meta.url), 'utf8')
const [manifest = '', answer = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text)
const body = /-d '(.*)'/.exec(page)?.[1] ?? ''

describe('docs/front-ends/persisted-documents.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-documents-'))
  const commands: Command[] = []
  let address = ''
  beforeAll(async () => {
    mkdirSync(join(folder, 'settings'))
    writeFileSync(join(folder, 'documents.json'), manifest)
    writeFileSync(join(folder, 'settings', 'lms.yaml'), 'http:\n  operations: ../documents.json\n  onlyTrusted: true\n')
    await start('--operations', 'documents.json', '--only-trusted')
  })
  afterAll(async () => {
    for (const command of commands) await command.stop()
    rmSync(folder, { recursive: true })
  })

  async function start(...flags: string[]): Promise<void> {
    const command = new Command([...flags, '--port', '0'], {}, [], { cwd: folder })
    commands.push(command)
    address = await command.address()
  }

  const post = async (text: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${address}/graphql`, { method: 'POST', headers, body: text })).json()
  }

  it('has a manifest with the hash of its document', () => {
    const [[hash, text] = []] = Object.entries<string>(JSON.parse(manifest))
    expect(hash).toBe(
      createHash('sha256')
        .update(text as string)
        .digest('hex'),
    )
  })

  it('has a request that is answered, with a path relative to the folder in which the gateway starts', async () => {
    expect(await post(body)).toEqual(JSON.parse(answer))
  })

  it('says that paths in a settings file are relative to the folder of the file', async () => {
    expect(page).toContain('in a settings file, relative to the folder of that file')
    await start('--config', 'settings/lms.yaml')
    expect(await post(body)).toEqual(JSON.parse(answer))
  })

  it('names the code with which other documents are refused', async () => {
    const refused = await post(JSON.stringify({ query: '{ groups { totalCount } }' }))
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }] })
    expect(page).toContain('`DOCUMENT_NOT_TRUSTED`')
  })

  it('says that documents which do not fit the graph are a line of the log, at the start and after a reload', async () => {
    expect(page).toContain('have one warning in the log, with their names and the first error of each')
    const own = join(folder, 'own.json')
    const write = (documents: object): void => writeFileSync(own, JSON.stringify(documents))
    write({ good: '{ courses { totalCount } }', old: '{ courses { total } }', cut: '{ courses {' })
    const command = new Command(['--operations', own, '--port', '0', '--log-format', 'json'], {}, [], { cwd: folder })
    commands.push(command)
    await command.address()
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
      write(documents)
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
})
