import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'libsql'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { storageError } from '../../src/lms/errors.js'
import { startLms, startLmsThread } from '../../src/lms/index.js'
import { openSchool, SCHOOL } from '../../src/lms/school.js'
import { Store } from '../../src/lms/store.js'
import { Command } from '../support/command.js'
import { credentials } from './world.js'

const folder = mkdtempSync(join(tmpdir(), 'lms-data-'))
const running = new Set<Command>()
const mounted: string[] = []
afterEach(() => Promise.all([...running].map((command) => command.stop('SIGKILL'))))
afterAll(() => {
  for (const path of mounted) execFileSync('umount', [path])
  rmSync(folder, { recursive: true, force: true })
})

let files = 0
const newFile = (): string => join(folder, `school-${++files}.sqlite`)

const headers = { ...credentials('admin'), 'content-type': 'application/json' }

function start(...argv: string[]): Command {
  const command = new Command(argv)
  running.add(command)
  return command
}

/** Exit code and output of a command that cannot start. */
async function refusal(...argv: string[]): Promise<readonly [code: number | null, stderr: string]> {
  const { code, stderr } = await start(...argv).ended
  return [code, stderr]
}

async function write(url: string, title: string, size = 20_000): Promise<{ status: number; body: any }> {
  const response = await fetch(`${url}/lms/v1/sfwd-courses`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title, content: 'x'.repeat(size) }),
  })
  return { status: response.status, body: await response.json() }
}

async function read(url: string, path: string): Promise<any> {
  const response = await fetch(url + path, { headers })
  return { status: response.status, body: await response.json() }
}

/** Titles of the courses in a copy of the data file alone, without its `-wal` file. */
function titlesIn(file: string): string[] {
  const copy = newFile()
  copyFileSync(file, copy)
  const db = new Database(copy)
  try {
    expect(db.prepare('PRAGMA integrity_check').raw().all([])).toEqual([['ok']])
    return (db.prepare('SELECT title FROM courses').raw().all([]) as unknown as [string][]).map(([title]) => title)
  } finally {
    db.close()
  }
}

const sql = (file: string, text: string): void => {
  const db = new Database(file)
  db.exec(text)
  db.close()
}

/** The bytes of a data file with the sample school. */
const school = (): Buffer => gunzipSync(readFileSync(SCHOOL))

/** A data file with the sample school. */
function filledFile(): string {
  const file = newFile()
  writeFileSync(file, school())
  return file
}

/** A file system of its own. Needs root. */
function smallDisk(size: string): string | undefined {
  const path = mkdtempSync(join(folder, 'disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  mounted.push(path)
  return path
}

const disk = smallDisk('24m')
if (disk === undefined) console.warn('Tests on a full file system are skipped: a file system can be mounted by root only.')

describe('a clean exit', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('of the command by %s leaves all writes in the data file', async (signal) => {
    const data = newFile()
    const command = start('lms', '--port=0', '--data', data)
    const url = await command.address()
    expect((await write(url, 'The last write')).status).toBe(201)
    expect(await command.stop(signal)).toMatchObject({ code: 0, stderr: '' })
    expect(titlesIn(data)).toContain('The last write')
    expect(existsSync(`${data}-wal`) ? statSync(`${data}-wal`).size : 0).toBe(0)
  })

  it.each([
    ['startLms', startLms],
    ['startLmsThread', startLmsThread],
  ] as const)('of %s leaves all writes in the data file', async (_, begin) => {
    const data = newFile()
    const lms = await begin({ data })
    await write(lms.url, 'The last write')
    await lms.close()
    expect(titlesIn(data)).toContain('The last write')
  })

  it('during writes keeps every write that was answered', async () => {
    const data = newFile()
    const command = start('lms', '--port=0', '--data', data)
    const url = await command.address()
    const answered: string[] = []
    let isEnding = false
    const lane = async (name: string): Promise<void> => {
      for (let number = 0; !isEnding || number < 3; number++) {
        const title = `Write ${name}${number}`
        const answer = await write(url, title).catch(() => undefined)
        if (!answer) return
        if (answer.status === 201) answered.push(title)
      }
    }
    const lanes = Promise.all(['a', 'b', 'c', 'd'].map(lane))
    while (answered.length < 20) await new Promise((done) => setTimeout(done, 5))
    const ended = command.stop('SIGTERM')
    isEnding = true
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    await lanes
    expect(titlesIn(data)).toEqual(expect.arrayContaining(answered))
  })

  it('of a gateway leaves all writes in the data file', async () => {
    const data = newFile()
    const command = start('serve', '--port=0', '--data', data)
    const url = await command.address()
    const query = 'mutation { createCourse(input: { title: "The last write" }) { ... on CreateCourseSuccess { course { title } } } }'
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    expect(await response.json()).toEqual({ data: { createCourse: { course: { title: 'The last write' } } } })
    expect(await command.stop('SIGTERM')).toMatchObject({ code: 0 })
    expect(titlesIn(data)).toContain('The last write')
  })
})

describe('--backup', () => {
  it('copies a file while an LMS writes to it', async () => {
    const [data, copy] = [newFile(), newFile()]
    const url = await start('lms', '--port=0', '--data', data).address()
    await write(url, 'Written before the copy')
    const { code, stdout } = await start('lms', '--data', data, '--backup', copy).ended
    expect([code, stdout]).toEqual([0, `lms-graphql: copied ${data} to ${copy}\n`])
    await write(url, 'Written after the copy')
    expect(titlesIn(copy)).toContain('Written before the copy')
    expect(titlesIn(copy)).not.toContain('Written after the copy')
    const lms = await startLms({ data: copy })
    expect((await read(lms.url, '/lms/v1/sfwd-courses?search=before+the+copy&status=draft')).body.length).toBe(1)
    await lms.close()
  })

  it('reports why a file was not copied', async () => {
    const [data, copy] = [filledFile(), filledFile()]
    expect(await refusal('lms', '--backup', copy)).toEqual([
      2,
      'lms-graphql: `--backup` has no effect without `--data` or `LMS_DATA`: set that, or drop `--backup`.\n',
    ])
    expect(await refusal('lms', '--data', data, '--backup', copy)).toEqual([
      2,
      `lms-graphql: The data file ${data} was not copied: ${copy} exists already.\n`,
    ])
    const none = newFile()
    expect(await refusal('lms', '--data', none, '--backup', newFile())).toEqual([
      2,
      `lms-graphql: The data file ${none} cannot be opened: it does not exist.\n`,
    ])
    const lost = join(folder, 'none', 'x.sqlite')
    expect((await refusal('lms', '--data', data, '--backup', lost))[1]).toContain(`the folder of ${lost} does not exist`)
  })
})

describe('a data file', () => {
  const stderrOf = async (data: string, ...argv: string[]): Promise<string> => {
    const [code, stderr] = await refusal('lms', '--port=0', '--data', data, ...argv)
    expect(code).toBe(2)
    expect(stderr.trim().split('\n').length).toBe(1)
    return stderr
  }

  it('is refused when it is a folder, not a database, or in a folder that does not exist', async () => {
    expect(await stderrOf(folder)).toBe(`lms-graphql: The data file ${folder} cannot be opened: it is a folder.\n`)
    const text = newFile()
    writeFileSync(text, 'short')
    expect(await stderrOf(text)).toBe(`lms-graphql: The data file ${text} cannot be opened: it is not a SQLite database.\n`)
    const nowhere = join(folder, 'none', 'x.sqlite')
    expect(await stderrOf(nowhere)).toBe(`lms-graphql: The data file ${nowhere} cannot be opened: its folder does not exist.\n`)
    expect(await stderrOf('/dev/null')).toBe('lms-graphql: The data file /dev/null cannot be opened: it is not a regular file.\n')
    expect(await refusal('serve', '--port=0', '--data', folder)).toEqual([
      2,
      `lms-graphql: The data file ${folder} cannot be opened: it is a folder.\n`,
    ])
  })

  it.each([0, 3, 5])('is refused when it has schema version %i', async (version) => {
    const file = filledFile()
    sql(file, `PRAGMA user_version = ${version}`)
    expect(await stderrOf(file)).toContain(
      `has schema version ${version}, this program reads version 4: use the version of this program that wrote it, or name another file.`,
    )
  })

  it('is refused when a page of any table is damaged', async () => {
    for (const table of ['lessons', 'questions', 'post_terms', 'progress']) {
      const file = filledFile()
      const db = new Database(file)
      const [[root]] = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').raw().all([table]) as unknown as [[number]]
      db.close()
      const descriptor = openSync(file, 'r+')
      writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, (root - 1) * 4096)
      closeSync(descriptor)
      await expect(startLms({ data: file })).rejects.toThrow(`The data file ${file} is damaged: restore it from a backup. SQLite reports: `)
    }
    const cut = newFile()
    writeFileSync(cut, school().subarray(0, 1_000_000))
    expect(await stderrOf(cut)).toContain('is damaged: restore it from a backup.')
  })

  it('is refused with a scale other than its own', async () => {
    const file = filledFile()
    expect(await stderrOf(file, '--scale=2')).toBe(
      `lms-graphql: The data file ${file} already has data, and \`scale\` 2 cannot change its size: omit \`scale\`, or set it to 1, or name a new file.\n`,
    )
    for (const scale of [undefined, 1]) await (await startLms({ data: file, scale })).close()
  })
})

describe('a full disk', () => {
  it('is the error of SQLite, and the write is rolled back', () => {
    const store = new Store(newFile(), () => {}, openSchool)
    const titles = () => store.rows('SELECT id, title FROM courses ORDER BY id')
    const before = titles()
    store.rows(`PRAGMA max_page_count = ${store.row('PRAGMA page_count')![0]}`)
    let caught: unknown
    try {
      store.transaction(() => {
        store.run("UPDATE courses SET title = 'Half'")
        for (let place = 0; place < 100; place++)
          store.run('UPDATE lessons SET content = content || ? WHERE id = 100001', 'long '.repeat(10_000))
      })
    } catch (error) {
      caught = error
    }
    expect((caught as Error).message).toMatch(/database or disk is full/)
    expect(storageError(caught)?.toJSON()).toEqual({
      code: 'rest_insufficient_storage',
      message: 'The disk of the site is full. Nothing was changed.',
      data: { status: 507 },
    })
    expect(titles()).toEqual(before)
    store.rows('PRAGMA max_page_count = 1000000')
    store.transaction(() => store.run("UPDATE courses SET title = 'Whole' WHERE id = 10001"))
    store.close()
  })

  it.skipIf(disk === undefined)('answers writes with 507 until there is space, and reads as before', async () => {
    const data = join(disk!, 'school.sqlite')
    const lms = await start('lms', '--port=0', '--data', data).address()
    const url = await start('serve', '--port=0', '--upstream', lms).address()
    expect((await write(lms, 'There is room')).status).toBe(201)
    const { bavail, bsize } = statfsSync(disk!)
    const ballast = join(disk!, 'ballast')
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 100_000)))
    const answers = []
    for (let place = 0; place < 100; place++) answers.push(await write(lms, `Write ${place}`, 300_000))
    // The space that is left is too small for any further write.
    for (let place = 0; answers.at(-1)!.status === 201 || place < 3; place++) answers.push(await write(lms, `Write small ${place}`, 30_000))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThan(20)
    expect(new Set(refused.map(({ body }) => JSON.stringify(body)))).toEqual(
      new Set([
        JSON.stringify({
          code: 'rest_insufficient_storage',
          message: 'The disk of the site is full. Nothing was changed.',
          data: { status: 507 },
        }),
      ]),
    )
    const query = `mutation { createCourse(input: { title: "No room", content: "${'x'.repeat(90_000)}" }) { __typename ... on UpstreamError { code upstream { status code } } } }`
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    expect(await response.json()).toEqual({
      data: {
        createCourse: {
          __typename: 'UpstreamError',
          code: 'UPSTREAM_UNAVAILABLE',
          upstream: { status: 507, code: 'rest_insufficient_storage' },
        },
      },
    })
    const all = await read(
      lms,
      '/lms/v1/sfwd-courses?status=draft&search=Write&search_columns=post_title&per_page=100&context=edit&_filter=title.raw',
    )
    expect(answers.filter(({ status }) => status === 201).length).toBeLessThan(100)
    const written = answers.flatMap(({ status, body }) => (status === 201 ? [body.title.raw] : []))
    expect(all.body.map(({ title }: any) => title.raw).sort()).toEqual(written.sort())
    rmSync(ballast)
    expect((await write(lms, 'There is room again')).status).toBe(201)
    const [command] = running
    await command!.stop('SIGTERM')
    expect(titlesIn(data)).toEqual(expect.arrayContaining(['There is room', 'There is room again', ...written]))
  })

  it.skipIf(disk === undefined)('is reported at startup', async () => {
    const ballast = join(disk!, 'ballast')
    const { bavail, bsize } = statfsSync(disk!)
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 200_000)))
    const file = join(disk!, 'new.sqlite')
    expect(await refusal('lms', '--port=0', '--data', file)).toEqual([
      2,
      `lms-graphql: The data file ${file} cannot be filled: the disk is full.\n`,
    ])
    rmSync(ballast)
  })
})

describe('a read-only file', () => {
  it.skipIf(disk === undefined)('can be read, with a warning, and refuses writes', async () => {
    const place = join(disk!, 'read-only')
    mkdirSync(place)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', place])
    mounted.unshift(place)
    const [data, empty] = ['school', 'empty'].map((name) => join(place, `${name}.sqlite`)) as [string, string]
    writeFileSync(data, school())
    sql(data, 'PRAGMA journal_mode = WAL')
    writeFileSync(empty, '')
    execFileSync('mount', ['-o', 'remount,ro', place])
    const command = start('lms', '--port=0', '--data', data)
    const url = await command.address()
    expect((await read(url, '/lms/v2/sfwd-lessons?search=variables')).status).toBe(200)
    expect(await write(url, 'No')).toEqual({
      status: 500,
      body: { code: 'rest_read_only', message: 'The data of the site are read-only. Nothing was changed.', data: { status: 500 } },
    })
    const { code, stderr } = await command.stop()
    expect(code).toBe(0)
    expect(stderr).toContain(`lms-graphql: The data file ${data} is read-only: the data can be read, but not changed.\n`)
    expect((await refusal('lms', '--port=0', '--data', empty))[1]).toContain('is empty, but it is read-only')
    const missing = join(place, 'missing.sqlite')
    expect((await refusal('lms', '--port=0', '--data', missing))[1]).toContain('there is no permission to write to its folder')
  })
})
