import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'
import { ask } from './asking.js'
import { AUDIENCE, ISSUER, KeySetServer, makeSigner, sign } from './issuer.js'

// The built command, whose clock the tests set, and a key server that goes away.

/** Sets all clocks of the process forward by the milliseconds in a file. */
const CLOCK = `
import { readFileSync } from 'node:fs'
const ahead = () => Number(readFileSync(process.env.CLOCK_FILE, 'utf8'))
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...args) { if (args.length === 0) super(RealDate.now() + ahead()); else super(...args) }
  static now() { return RealDate.now() + ahead() }
}
const now = performance.now.bind(performance)
performance.now = () => now() + ahead()
`
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(jwksUrl: string) {
  const site = await FakeSite.start((_, response) => json(response, [{ slug: 'free', name: 'Free' }]))
  closing.push(() => site.close())
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-clock-'))
  closing.push(() => rmSync(folder, { recursive: true }))
  const clock = join(folder, 'clock')
  const setAhead = (milliseconds: number): void => writeFileSync(clock, String(milliseconds))
  setAhead(0)
  const env = {
    CLOCK_FILE: clock,
    LMS_USER: 'service',
    LMS_PASSWORD: 'x',
    JWT_JWKS_URL: jwksUrl,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
  }
  const flags = ['--upstream', site.url, '--port', '0', '--log-format', 'json', '--log-level', 'warn']
  const command = new Command(flags, env, ['--import', `data:text/javascript,${encodeURIComponent(CLOCK)}`])
  closing.push(() => command.stop('SIGKILL'))
  const lines = (): any[] =>
    command.printed
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      // Each request has its own line, without a stack.
      .filter(({ level, msg }) => level !== 'info' && msg !== 'operation')
  return { address: await command.address(), lines, setAhead }
}

const statusesOf = async (address: string, token: string, requests = 1): Promise<number[]> => {
  const statuses: number[] = []
  for (let times = 0; times < requests; times++) statuses.push((await ask(address, { authorization: `Bearer ${token}` })).status)
  return [...new Set(statuses)]
}

const FAILED = 'The key set for tokens could not be loaded.'

describe('while the key set cannot be loaded', () => {
  it('the last one is used for a day, with one line in the log for all requests of ten seconds', async () => {
    const signer = await makeSigner('one')
    const keySet = await KeySetServer.start([signer])
    const { port } = new URL(keySet.url)
    const { address, lines, setAhead } = await start(`${keySet.url}?token=s3cret`)
    const exp = Math.floor(Date.now() / 1000) + 7 * 86_400
    const token = await sign(signer, { exp })
    const unknown = await sign(await makeSigner('two'), { exp })
    expect(await statusesOf(address, token, 5)).toEqual([200])
    expect([keySet.asked, await statusesOf(address, unknown)]).toEqual([1, [401]])
    await keySet.close()

    // The first line: a refresh in the background, which no request awaits.
    setAhead(11 * MINUTE)
    expect(await statusesOf(address, token, 30)).toEqual([200])
    await expect.poll(() => lines().length).toBe(1)
    expect(await statusesOf(address, token, 30)).toEqual([200])
    expect(lines()).toMatchObject([{ level: 'warn', msg: FAILED, reason: 'ECONNREFUSED', isUsable: true }])
    expect(JSON.stringify(lines())).not.toMatch(/s3cret|stack/)
    // It may be a key of a newer set.
    expect(await statusesOf(address, unknown, 30)).toEqual([503])
    expect(lines()).toHaveLength(1)

    setAhead(6 * HOUR)
    expect(await statusesOf(address, token, 30)).toEqual([200])
    setAhead(23 * HOUR)
    expect(await statusesOf(address, token, 30)).toEqual([200])
    await expect.poll(() => lines().length).toBe(3)
    setAhead(25 * HOUR)
    expect(await statusesOf(address, token, 30)).toEqual([503])
    await expect.poll(() => lines().length).toBe(4)
    expect(lines().at(-1)).toMatchObject({ msg: FAILED, isUsable: false })

    const back = await KeySetServer.start([signer], Number(port))
    closing.push(() => back.close())
    setAhead(25 * HOUR + 11_000)
    expect(await statusesOf(address, token, 5)).toEqual([200])
    expect([back.asked, lines().length]).toEqual([1, 4])
  })

  it('a key that is new in it is accepted when it can be loaded again', async () => {
    const [old, young] = await Promise.all([makeSigner('old'), makeSigner('young')])
    const keySet = await KeySetServer.start([old])
    closing.push(() => keySet.close())
    const { address, setAhead } = await start(keySet.url)
    const [first, second] = [await sign(old), await sign(young)]
    expect(await statusesOf(address, first)).toEqual([200])
    keySet.broken = { status: 500, body: 'no' }
    keySet.signers = [young]
    setAhead(MINUTE)
    expect([await statusesOf(address, second), await statusesOf(address, first)]).toEqual([[503], [200]])
    keySet.broken = undefined
    setAhead(2 * MINUTE)
    expect([await statusesOf(address, second), await statusesOf(address, first)]).toEqual([[200], [401]])
  })
})

it('a wrong address of the key set is reported at the start, before the first token, and the process starts', async () => {
  const { address, lines } = await start('http://127.0.0.1:10/keys?token=s3cret')
  await expect.poll(lines).toMatchObject([{ level: 'warn', msg: FAILED, address: 'http://127.0.0.1:10', isUsable: false }])
  expect((await fetch(`${address}/health/live`)).status).toBe(200)
  expect(JSON.stringify(lines())).not.toMatch(/s3cret|stack/)
})
