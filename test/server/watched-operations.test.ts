import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { sleep, until } from '../support/hosted.js'

describe('a folder of operations that changes', () => {
  let folder: string
  let command: Command
  let url: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'watched-'))
    writeFileSync(join(folder, 'a.graphql'), 'query A { __typename }')
  })
  afterEach(async () => {
    await command.stop()
    rmSync(folder, { recursive: true })
  })

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    command = new Command(['--embedded', '--operations', folder, '--port', '0', '--log-format', 'json'], env)
    url = `${await command.address()}/graphql`
  }

  async function answered(documentId: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ documentId }) })).json()
  }

  it('is read again by a gateway in development, and keeps the former operations while it is wrong', async () => {
    await start({ NODE_ENV: '' })
    writeFileSync(join(folder, 'b.graphql'), 'query B { b: __typename }')
    await expect.poll(() => answered('B')).toEqual({ data: { b: 'Query' } })
    writeFileSync(join(folder, 'b.graphql'), 'query B { again: __typename }\nquery A { a: __typename }')
    await until(() => command.printed.includes('The settings were not reloaded, because they are wrong.'))
    expect(command.printed).toContain(`${folder}/b.graphql:2:7: There can be only one operation named`)
    expect(await answered('B')).toEqual({ data: { b: 'Query' } })
    rmSync(join(folder, 'a.graphql'))
    await expect.poll(() => answered('A')).toEqual({ data: { a: 'Query' } })
  })

  it('is not read again in production', async () => {
    await start({ NODE_ENV: 'production' })
    writeFileSync(join(folder, 'b.graphql'), 'query B { __typename }')
    await sleep(1_500)
    expect(await answered('B')).toMatchObject({ errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] })
  })
})
