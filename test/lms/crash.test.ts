import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { credentials, type Json, ROUTES } from './world.js'

const ROUNDS = process.env.SOAK ? 20 : 2
const WRITES = 200
/** Concurrent requests. */
const WIDTH = 8

const folder = mkdtempSync(join(tmpdir(), 'lms-crash-'))
const running = new Set<Command>()

afterEach(() => Promise.all([...running].map((command) => command.stop('SIGKILL'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The embedded LMS in a process of its own, started by the command. */
async function start(data: string): Promise<{ url: string; kill: () => Promise<unknown> }> {
  const command = new Command(['lms', '--port', '0', '--data', data])
  running.add(command)
  const kill = (): Promise<unknown> => command.stop('SIGKILL').finally(() => running.delete(command))
  return { url: await command.address(), kill }
}

const headers = { ...credentials('admin'), 'content-type': 'application/json' }

async function ask(url: string, method = 'GET', body?: Json): Promise<any> {
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

const [FIRST_CATEGORY, FIRST_TAG, BITS] = [700_001, 700_008, 7]
const termsOf = (first: number, bits: number): number[] =>
  Array.from({ length: BITS }, (_, bit) => bit)
    .filter((bit) => bits & (1 << bit))
    .map((bit) => first + bit)

/** A lesson whose texts, columns, terms (as bits) and course all contain the same number. */
const carrying = (number: number): Json => ({
  title: `Number ${number}`,
  slug: `number-${number}`,
  content: `<p>${number}</p>`.repeat(200),
  materials: String(number),
  video_url: `https://v.example/${number}`,
  menu_order: number,
  visible_after: number,
  forced_timer_amount: number,
  meta: { number },
  categories: termsOf(FIRST_CATEGORY, number % 128),
  tags: termsOf(FIRST_TAG, number >> BITS),
  course: 10_001 + (number % 100),
})

/** The number in a record. Fails when its parts do not agree. */
function numberIn(record: Json): number {
  const number = record.menu_order as number
  const whole = carrying(number)
  expect({ ...record, title: record.title.raw, content: record.content.raw }).toMatchObject(whole)
  return number
}

/** Writes that were sent, and those that were acknowledged. */
class Ledger {
  /** Last acknowledged number of each record, by id. */
  readonly known = new Map<number, number>()
  /** Numbers that were sent and not acknowledged, by record; those of new records under 0. */
  readonly open = new Map<number, number[]>()
  acknowledged = 0
  sent = 0

  /** Sends a write. Every second write creates a record; the others change a record that no other request is changing. */
  async write(url: string): Promise<void> {
    const number = ++this.sent
    const free = [...this.known.keys()].filter((id) => !this.open.has(id))
    const id = number % 2 === 0 && free.length ? free[number % free.length]! : 0
    this.open.set(id, [...(this.open.get(id) ?? []), number])
    const record = await ask(`${url}${ROUTES.Lesson}${id ? `/${id}` : ''}`, id ? 'PATCH' : 'POST', carrying(number))
    const others = this.open.get(id)!.filter((other) => other !== number)
    if (others.length) this.open.set(id, others)
    else this.open.delete(id)
    this.known.set(record.id, number)
    this.acknowledged++
  }
}

async function lessonsFrom(url: string, first: number): Promise<Json[]> {
  const found: Json[] = []
  for (let page = 1; ; page++) {
    const query = `status=any&context=edit&orderby=id&order=desc&per_page=100&page=${page}`
    const records = (await ask(`${url}${ROUTES.Lesson}?${query}`)) as Json[]
    found.push(...records.filter(({ id }) => id >= first))
    if (records.length < 100 || records.at(-1)!.id < first) return found
  }
}

/** Checks all records against the ledger, and updates it. Returns the number of unacknowledged writes that were stored. */
async function check(url: string, ledger: Ledger): Promise<number> {
  const records = await lessonsFrom(url, 500_001)
  let landed = 0
  for (const record of records) {
    const { id } = record
    const number = numberIn(record)
    const known = ledger.known.get(id)
    const open = ledger.open.get(known === undefined ? 0 : id) ?? []
    if (number !== known) {
      expect([id, open]).toEqual([id, expect.arrayContaining([number])])
      landed++
    }
    ledger.known.set(id, number)
  }
  expect([...ledger.known.keys()].sort()).toEqual(records.map(({ id }) => id as number).sort())
  ledger.open.clear()
  return landed
}

/** Checks that every lesson is in the steps of its course only, and that the file is intact. */
function checkFile(data: string): void {
  const db = new Database(data)
  db.exec('PRAGMA busy_timeout = 5000')
  const one = (sql: string): unknown => (db.prepare(sql).raw().all([]) as unknown[][])[0]![0]
  const made = 'FROM lessons t LEFT JOIN course_steps s ON s.step = t.id AND s.course = t.course WHERE t.id > 500000'
  const stray = 'FROM course_steps s JOIN lessons t ON t.id = s.step WHERE t.id > 500000 AND t.course <> s.course'
  expect([one('PRAGMA integrity_check'), one(`SELECT count(*) ${made} AND s.step IS NULL`), one(`SELECT count(*) ${stray}`)]).toEqual([
    'ok',
    0,
    0,
  ])
  db.close()
}

describe('a killed LMS', () => {
  it(
    'keeps acknowledged writes, and has no partial ones',
    async () => {
      const data = join(folder, 'crash.db')
      const ledger = new Ledger()
      const total = { acknowledged: 0, open: 0, landed: 0 }
      for (let round = 1; round <= ROUNDS; round++) {
        const lms = await start(data)
        const before = ledger.acknowledged
        const enough = before + Math.floor(WRITES * (0.2 + 0.6 * Math.random()))
        let killed: Promise<unknown> | undefined
        const worker = async () => {
          while (!killed && ledger.acknowledged < before + WRITES) {
            await ledger.write(lms.url).catch((error) => {
              if (!killed) throw error
            })
            if (ledger.acknowledged >= enough) killed ??= new Promise((done) => setTimeout(done, Math.random() * 10)).then(lms.kill)
          }
        }
        await Promise.all(Array.from({ length: WIDTH }, worker))
        await killed
        const open = [...ledger.open.values()].flat().length
        const again = await start(data)
        const landed = await check(again.url, ledger)
        checkFile(data)
        await again.kill()
        const acknowledged = ledger.acknowledged - before
        console.log(`round ${round}: ${acknowledged} writes acknowledged, ${open} in flight at the kill, ${landed} of them landed`)
        expect(acknowledged).toBeLessThan(WRITES)
        total.acknowledged += acknowledged
        total.open += open
        total.landed += landed
      }
      console.log(`${ROUNDS} rounds: ${total.acknowledged} acknowledged, ${total.open} in flight, ${total.landed} landed, none by halves`)
      expect(total.open).toBeGreaterThan(0)
    },
    ROUNDS * 30_000,
  )
})

describe('several processes', () => {
  it('can open the same new file at the same time, and write to it', async () => {
    const data = join(folder, 'shared.db')
    const all = await Promise.all([start(data), start(data), start(data)])
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, place) => ask(`${all[place % 3]!.url}${ROUTES.Course}`, 'POST', { title: 'Same', status: 'publish' })),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(60)
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(60)
    for (const { url } of all) {
      expect((await ask(`${url}${ROUTES.Course}?search=same&search_columns=post_title&per_page=100&_filter=id`)).length).toBe(60)
    }
    checkFile(data)
    await Promise.all(all.map(({ kill }) => kill()))
  })
})
