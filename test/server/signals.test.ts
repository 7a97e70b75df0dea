import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Hosted, MOST, sleep, until } from '../support/hosted.js'
import { Load } from '../support/load.js'
import { json } from '../support/site.js'
import { SOAK } from '../support/world.js'

// The real command, which signals end or change while it is loaded.

const LANES = 24
/** Milliseconds of load before the signal. */
const LASTS = SOAK ? 5_000 : 1_000

let hosted: Hosted
afterEach(() => hosted.close())

const count = (load: Load) => `${load.total} served, ${load.lost.length} lost, ${load.failures.length - load.lost.length} refused`

describe('the command', () => {
  /** Clients that have been served for a while. */
  async function underLoad(): Promise<Load> {
    const load = new Load(hosted.url, LANES)
    await until(() => load.served.every((served) => served > 1))
    await sleep(LASTS)
    await until(() => load.total > 100)
    return load
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('loses nothing by %s under load', async (signal) => {
    hosted = await Hosted.start()
    const load = await underLoad()
    hosted.command.child.kill(signal)
    const { code, stderr } = await hosted.command.ended
    await load.stop()
    console.log(`${signal}: ${count(load)}; ${hosted.site.most} calls at a time`)
    expect([code, stderr]).toEqual([0, ''])
    expect([load.lost, load.wrong]).toEqual([[], []])
    // Whoever asked again was told to go.
    expect(load.failures.length).toBeGreaterThan(0)
    expect(hosted.site.most).toBeLessThanOrEqual(MOST)
  })

  it('reads its settings again by SIGHUP under load, and loses nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-signals-'))
    const file = join(folder, 'lms.yaml')
    const setMaxRows = (maxRows: number): void => writeFileSync(file, `limits:\n  maxRows: ${maxRows}\n`)
    const codeOf = async (): Promise<unknown> => {
      const { errors } = (await ask(hosted.url, '{ courses(first: 3) { totalCount } }')) as { errors?: { extensions: { code: string } }[] }
      return errors?.[0]?.extensions.code
    }
    try {
      setMaxRows(5)
      hosted = await Hosted.start(['--config', file])
      expect(await codeOf()).not.toBe('BAD_USER_INPUT')
      const load = await underLoad()
      setMaxRows(2)
      hosted.command.child.kill('SIGHUP')
      await until(codeOf, 'BAD_USER_INPUT')
      // A wrong file changes nothing.
      setMaxRows(-1)
      hosted.command.child.kill('SIGHUP')
      await until(() => hosted.command.printed.includes('The settings were not reloaded, because they are wrong.'))
      expect(await codeOf()).toBe('BAD_USER_INPUT')
      const { total } = load
      await until(() => load.total > total + 100)
      await load.stop()
      expect([load.failures, load.wrong]).toEqual([[], []])
      expect(hosted.site.most).toBeLessThanOrEqual(MOST)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('answers once more on open connections, closes them, and is not ready', async () => {
    hosted = await Hosted.start()
    const clients = await Promise.all(Array.from({ length: 6 }, () => Kept.open(hosted.port)))
    for (const client of clients) expect(await client.ask('/health/ready')).toMatch(/^HTTP\/1.1 200 (?!.*connection: close)/is)
    hosted.command.child.kill('SIGTERM')
    await until(() => isRefused(hosted.port))
    await sleep(300)
    for (const client of clients) expect(await client.ask('/health/ready')).toMatch(/^HTTP\/1.1 503 .*connection: close.*leaving/is)
    expect(await hosted.command.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('closes idle connections, also new ones', async () => {
    hosted = await Hosted.start()
    const [used, silent] = await Promise.all([Kept.open(hosted.port), Kept.open(hosted.port)])
    await used?.ask('/health/ready')
    const since = performance.now()
    hosted.command.child.kill('SIGTERM')
    expect(await hosted.command.ended).toMatchObject({ code: 0, stderr: '' })
    expect(performance.now() - since).toBeLessThan(9_000)
    await silent?.closed
  })

  it('closes connections over the limit of an address', async () => {
    hosted = await Hosted.start(['--max-connections', '20'])
    const answers: string[] = []
    for (let i = 0; i < 3; i++) answers.push(await (await Kept.open(hosted.port)).ask('/health/ready'))
    expect(answers).toEqual([expect.stringMatching(/^HTTP\/1.1 200/), expect.stringMatching(/^HTTP\/1.1 200/), ''])
  })

  it('ends what runs too long', async () => {
    hosted = await Hosted.start(['--drain-timeout', '500'])
    hosted.site.handler = () => {}
    const answer = ask(hosted.url).catch(() => 'broken')
    await until(() => hosted.site.open, 1)
    hosted.command.child.kill('SIGTERM')
    expect(await hosted.command.ended).toMatchObject({ code: 0 })
    expect(await answer).toBe('broken')
  })

  it('ends immediately at the second signal', async () => {
    hosted = await Hosted.start()
    hosted.site.handler = () => {}
    const answer = ask(hosted.url).catch(() => 'broken')
    await until(() => hosted.site.open, 1)
    hosted.command.child.kill('SIGTERM')
    await until(() => isRefused(hosted.port))
    hosted.command.child.kill('SIGINT')
    expect((await hosted.command.ended).code).toBe(1)
    expect(await answer).toBe('broken')
  })

  it('does not end immediately by SIGHUP while it is ending', async () => {
    hosted = await Hosted.start()
    hosted.site.handler = (_, response) => void setTimeout(() => json(response, { id: 1, title: { rendered: 'Title 1' } }), 2_000)
    const answer = ask(hosted.url)
    await until(() => hosted.site.open, 1)
    hosted.command.child.kill('SIGTERM')
    await until(() => isRefused(hosted.port))
    hosted.command.child.kill('SIGHUP')
    expect(await answer).toEqual({ data: { course: { title: 'Title 1' } } })
    expect(await hosted.command.ended).toMatchObject({ code: 0, stderr: '' })
  })
})

/** A client that keeps its connection, and does not look whether it is still wanted. */
class Kept {
  private text = ''
  readonly closed: Promise<unknown>

  private constructor(private readonly socket: ReturnType<typeof connect>) {
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.text += text
    })
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => socket.once('close', resolve))
  }

  static open(port: number): Promise<Kept> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(kept))
      const kept = new Kept(socket)
    })
  }

  async ask(path: string): Promise<string> {
    this.text = ''
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: gateway.test\r\n\r\n`)
    await Promise.race([until(() => /\}\s*(0\s*)?$/.test(this.text)).catch(() => {}), this.closed])
    return this.text
  }
}

const ask = (url: string, query = '{ course(id: 1) { title } }'): Promise<unknown> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }).then((response) => response.json())

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', () => resolve(true))
  })
