import { afterEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { FakeSite, json } from '../support/site.js'

// Processes whose clocks are wrong: `Date` differs in them, as with a machine without time synchronization.

const ELEVEN_MINUTES = 11 * 60_000
const CACHE_SECRET = 'the same secret of all gateways.'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Flags of Node that move the clock of a process by milliseconds; by `later` more after the signal SIGUSR2. */
function clock(by: number, later = 0): readonly string[] {
  const code = `let by = ${by}
    const Right = Date, now = Date.now
    globalThis.Date = class Date extends Right {
      constructor(...args) { if (args.length === 0) super(now() + by); else super(...args) }
      static now() { return now() + by }
    }
    process.on('SIGUSR2', () => { by += ${later} })`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

/** A site whose course changes without the gateways. */
async function startSite() {
  const site = await FakeSite.start()
  const state = { title: 'old' }
  site.handler = ({ url }, response) =>
    url?.includes('/sfwd-courses/7') ? json(response, { id: 7, title: { rendered: state.title } }) : json(response, {})
  closing.push(() => site.close())
  return { site, state, reads: () => site.paths.filter((path) => path.includes('sfwd-courses')).length }
}

async function start(upstream: string, flags: readonly string[], nodeFlags: readonly string[], env: Record<string, string> = {}) {
  const argv = ['--upstream', upstream, '--port', '0', '--metrics', '--log-level', 'error', ...flags]
  const command = new Command(argv, env, nodeFlags)
  closing.push(() => command.stop('SIGKILL'))
  const url = await command.address()
  if (env.REDIS_URL !== undefined) await expect.poll(async () => (await fetch(`${url}/metrics`)).text()).toContain('lms_redis_up 1')
  const title = async (authorization?: string): Promise<string> => {
    const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
    const body = JSON.stringify({ query: '{ course(id: 7) { title } }' })
    return ((await (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json()) as any).data.course.title
  }
  return { command, title }
}

const withoutRedis = WITHOUT_REDIS !== undefined && process.env.CI !== 'true'

describe.skipIf(withoutRedis)('two gateways with one Redis and different clocks', () => {
  const CLOCKS = [
    ['the gateway that reads from the site is eleven minutes ahead', ELEVEN_MINUTES, 0],
    ['the gateway that reads from the site is eleven minutes behind', -ELEVEN_MINUTES, 0],
    ['the gateway that reads from Redis is eleven minutes ahead', 0, ELEVEN_MINUTES],
    ['the gateway that reads from Redis is eleven minutes behind', 0, -ELEVEN_MINUTES],
  ] as const
  const LIVES = [
    ['--cache', ['--cache', '4', '--cache-for-callers', '4']],
    ['--cache-staleness', ['--cache', '3600', '--cache-for-callers', '3600', '--cache-staleness', '4']],
  ] as const

  describe.each(LIVES)('keep an answer for the seconds of %s', (_, flags) => {
    it.each(CLOCKS)('when %s', async (_when, writer, reader) => {
      const { site, state, reads } = await startSite()
      const redis = await RedisServer.start()
      closing.push(() => redis.close())
      const env = { REDIS_URL: redis.url, CACHE_SECRET }
      const one = await start(site.url, flags, clock(writer), env)
      const two = await start(site.url, flags, clock(reader), env)
      // The second one reads before it has to: each answer is in its memory.
      const callers = [undefined, 'Basic bGVhcm5lcjp4']
      const seen: string[] = []
      for (const [at, caller] of callers.entries()) {
        seen.push(await one.title(caller))
        await redis.shares(at + 1)
        for (let times = 0; times < 2; times++) seen.push(await two.title(caller))
      }
      expect(new Set(seen)).toEqual(new Set(['old']))
      // Each caller's answer was read from the site once, and shared.
      expect(reads()).toBe(2)
      state.title = 'new'
      for (const caller of callers)
        for (const { title } of [two, one]) await expect.poll(() => title(caller), { timeout: 20_000 }).toBe('new')
    })
  })
})

describe('one gateway whose clock is put back by eleven minutes', () => {
  it('keeps an answer for the seconds of --cache', async () => {
    const { site, state } = await startSite()
    const { command, title } = await start(site.url, ['--cache', '2'], clock(0, -ELEVEN_MINUTES))
    expect(await title()).toBe('old')
    command.child.kill('SIGUSR2')
    state.title = 'new'
    await expect.poll(title, { timeout: 20_000 }).toBe('new')
  })

  it('replaces failed reads for the seconds of --stale-if-error', async () => {
    const { site, state } = await startSite()
    const { command, title } = await start(site.url, ['--stale-if-error', '2', '--retries', '0'], clock(0, -ELEVEN_MINUTES))
    expect(await title()).toBe('old')
    command.child.kill('SIGUSR2')
    site.handler = (_, response) => json(response, { code: 'gone', message: 'Gone.', data: { status: 503 } }, { status: 503 })
    state.title = 'new'
    await expect.poll(() => title().catch(() => 'no answer')).toBe('no answer')
  })
})
