import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it } from 'vitest'
import { type LmsCall, type LmsOptions, type RunningLms, startLms, startLmsThread } from '../../src/lms/index.js'
import { credentials } from './world.js'

const folder = mkdtempSync(join(tmpdir(), 'lms-'))
afterAll(() => rmSync(folder, { recursive: true }))

const LIST = '/lms/v1/sfwd-courses?per_page=100&context=edit'

async function ask(lms: RunningLms, path: string): Promise<string> {
  return (await fetch(lms.url + path, { headers: credentials('admin') })).text()
}

/** Starts an LMS, sends a request and closes it. */
async function once(options: LmsOptions, path = LIST): Promise<string> {
  const lms = await startLms({ site: 'https://school.example', ...options })
  try {
    return await ask(lms, path)
  } finally {
    await lms.close()
  }
}

describe('the data', () => {
  it('is the same at every start', async () => {
    expect(await once({})).toBe(await once({}))
  })

  it('is multiplied by scale', async () => {
    const lms = await startLms({ scale: 2 })
    const totals = []
    for (const path of ['/lms/v1/sfwd-courses?status=any,trash', '/lms/v1/groups?status=any']) {
      totals.push((await fetch(`${lms.url}${path}`, { headers: credentials('admin') })).headers.get('x-wp-total'))
    }
    await lms.close()
    expect(totals).toEqual(['252', '32'])
    await expect(startLms({ scale: 0.5 })).rejects.toThrow('whole number from 1 to 100')
  })

  it('is kept in a file, which is filled only once', async () => {
    const data = join(folder, 'kept.db')
    const first = await once({ data })
    const db = new Database(data)
    db.exec("UPDATE courses SET title = 'Kept across starts' WHERE id = 10001")
    db.close()
    const second = await once({ data }, '/lms/v1/sfwd-courses/10001?_filter=title.rendered')
    expect(JSON.parse(second)).toEqual({ title: { rendered: 'Kept across starts' } })
    expect(JSON.parse(await once({ data })).length).toBe(JSON.parse(first).length)
  })

  it('is refused when the file is of another kind', async () => {
    const version = join(folder, 'version.db')
    await once({ data: version })
    const db = new Database(version)
    db.exec('PRAGMA user_version = 77')
    db.close()
    await expect(startLms({ data: version })).rejects.toThrow(
      /version\.db has schema version 77, this program reads version 4: use the version of this program that wrote it/,
    )

    const other = join(folder, 'other.db')
    const foreign = new Database(other)
    foreign.exec('CREATE TABLE t (x)')
    foreign.close()
    await expect(startLms({ data: other })).rejects.toThrow(/other\.db is a SQLite file of another program/)

    const text = join(folder, 'text.db')
    writeFileSync(text, 'not a database, but long enough to be looked at: '.repeat(40))
    await expect(startLms({ data: text })).rejects.toThrow(/text\.db cannot be opened: it is not a SQLite database/)
    await expect(startLms({ data: join(folder, 'none', 'x.db') })).rejects.toThrow(/folder does not exist/)
  })
})

describe.each([
  ['startLms', startLms],
  ['startLmsThread', startLmsThread],
] as const)('%s', (_name, start) => {
  it('answers requests, reports calls in order and closes', async () => {
    const calls: LmsCall[] = []
    const lms = await start({ onCall: (call) => calls.push(call) })
    expect(lms.url).toBe(`http://127.0.0.1:${lms.port}`)
    expect(JSON.parse(await ask(lms, '/lms/v2/price-types/free'))).toMatchObject({
      slug: 'free',
      _links: { self: [{ href: `${lms.url}/lms/v2/price-types/free` }] },
    })
    await ask(lms, '/lms/v1/groups/1')
    await lms.close()
    expect(calls.map(({ url, status, user }) => [url, status, user])).toEqual([
      ['/lms/v2/price-types/free', 200, 'admin'],
      ['/lms/v1/groups/1', 404, 'admin'],
    ])
    await expect(fetch(lms.url)).rejects.toThrow()
    await lms.close()
  })

  it('rejects when the port is in use or the file cannot be used', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await expect(start({ port })).rejects.toThrow(
      `The LMS cannot listen on 127.0.0.1:${port}: the port is already in use: set another one, or 0 for any free one.`,
    )
    await new Promise((resolve) => server.close(resolve))
    await expect(start({ data: join(folder, 'none', 'x.db') })).rejects.toThrow('its folder does not exist')
  })
})
