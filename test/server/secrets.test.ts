import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'
import { type Asked, ask } from './asking.js'
import { AUDIENCE, ISSUER, makeSigner, type Signer, sign } from './issuer.js'

const PASSWORD = 'p4ss w0rd 0f 4cc0unt'
const KEYS = ['k3y-0ne-0123456789', 'k3y-tw0-0123456789']
const JWT_KEY = 's3cret-0f-t0kens-0123456789-0123456789'
const EDITOR_PASSWORD = 'p4ss w0rd 0f 3d1t0rs'
const EDITOR_BASIC = Buffer.from(`svc-editor:${EDITOR_PASSWORD}`).toString('base64')
const BASIC = Buffer.from(`svc-user:${PASSWORD}`).toString('base64')
const CALLER = 'Y2FsbGVyOmMwbGwzcg=='
const SECRETS = [PASSWORD, EDITOR_PASSWORD, ...KEYS, JWT_KEY, BASIC, EDITOR_BASIC, CALLER]

const EDITOR = { LMS_EDITOR_USER: 'svc-editor', LMS_EDITOR_PASSWORD: EDITOR_PASSWORD }
const ACCOUNT = { LMS_USER: 'svc-user', LMS_PASSWORD: PASSWORD, ...EDITOR }
const TOKENS = { JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE }
const IN_ENV = { ...ACCOUNT, ...TOKENS, GATEWAY_API_KEYS: KEYS.join(), JWT_KEY }

/** Makes the command throw on SIGUSR2, with the environment in the message and what it was at the start beside it. */
const CRASH = `
const before = { ...process.env }
process.on('SIGUSR2', () => { throw Object.assign(new Error('boom ' + JSON.stringify(process.env)), { before }) })
process.on('SIGHUP', () => { Promise.reject(Object.assign(new Error('rejected'), { before })) })`

const commands: Command[] = []
afterEach(async () => {
  for (const command of commands.splice(0)) await command.stop('SIGKILL')
})

function start(argv: readonly string[], env: Record<string, string>): Command {
  const command = new Command(argv, env)
  commands.push(command)
  return command
}

function expectNoSecret(...texts: readonly string[]): void {
  for (const text of texts) for (const secret of SECRETS) expect(text).not.toContain(secret)
}

const whole = ({ text, headers }: Asked): string => `${JSON.stringify([...headers])}${text}`

describe('secrets of the command line', () => {
  let site: FakeSite
  let folder: string
  let files: Record<string, string>
  let signer: Signer
  beforeAll(async () => {
    site = await FakeSite.start((_, response) => json(response, [{ slug: 'free' }]))
    signer = { ...(await makeSigner('any', 'ES256')), alg: 'HS256' }
    folder = mkdtempSync(join(tmpdir(), 'lms-graphql-'))
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    files = {
      LMS_USER: 'svc-user',
      LMS_EDITOR_USER: 'svc-editor',
      ...TOKENS,
      LMS_PASSWORD_FILE: write('password', `${PASSWORD}\n`),
      LMS_EDITOR_PASSWORD_FILE: write('editor-password', `${EDITOR_PASSWORD}\n`),
      GATEWAY_API_KEYS_FILE: write('keys', `${KEYS.join('\n')}\n`),
      JWT_KEY_FILE: write('key', `${JWT_KEY}\n`),
    }
  })
  afterAll(async () => {
    await site.close()
    rmSync(folder, { recursive: true })
  })

  it.each(['environment', 'files'])('from the %s open the door, and stand in no answer and no log', async (source) => {
    const command = start(['--upstream', site.url, '--port', '0'], source === 'files' ? files : IN_ENV)
    const address = await command.address()
    const token = await sign(signer, { sub: '3' }, { key: Buffer.from(JWT_KEY) })
    const good = await Promise.all([
      ...KEYS.map((key) => ask(address, { 'x-api-key': key })),
      ask(address, { authorization: `Bearer ${KEYS[0]}` }),
      ask(address, { authorization: `Bearer ${token}` }),
    ])
    expect(good.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    // Keys are administrators, and the token is that of a learner.
    const sent = new Set(site.requests.map(({ headers }) => headers.authorization))
    expect([...sent].sort()).toEqual([`Basic ${BASIC}`, `Basic ${EDITOR_BASIC}`].sort())
    site.handler = (_, response) => json(response, { code: 'x', message: 'wrong', data: { status: 401 } }, { status: 401 })
    const key = { 'x-api-key': KEYS[0]! }
    const bad = await Promise.all([
      ask(address),
      ask(address, { 'x-api-key': `${KEYS[0]}x` }),
      ask(address, { ...key, authorization: `Basic ${CALLER}` }),
      ask(address, { authorization: `Bearer ${token}x` }),
      ask(address, key),
      ask(address, key, '{ nonsense'),
      ask(address, key, '{ nonsense }'),
      ask(address, key, '{ question(id: "x") { id } }'),
    ])
    site.handler = (_, response) => json(response, [{ slug: 'free' }])
    expect(bad.every(({ errors }) => errors.length > 0)).toBe(true)
    const page = await fetch(`${address}/graphiql/config.json`)
    const { stdout, stderr } = await command.stop()
    expect(stdout).toContain('ERROR: fault')
    expectNoSecret(stdout, stderr, await page.text(), ...[...good, ...bad].map(whole))
    expect(`${stdout}${stderr}`).not.toContain(token)
  })

  it('stand in no help, version or complaint', async () => {
    const runs = await Promise.all(
      [
        start(['--help'], IN_ENV),
        start(['--version'], IN_ENV),
        start(['schema'], IN_ENV),
        start(['--port', 'x', '--lms-password', PASSWORD, `--jwt-key=${JWT_KEY}`], { ...IN_ENV, ...files, JWT_ISSUER: '' }),
        start([], { LMS_USER: `svc-user:${PASSWORD}`, GATEWAY_API_KEYS: `${KEYS[0]},${KEYS[1]} x`, JWT_KEY: `-----BEGIN ${JWT_KEY}` }),
        start([], { ...ACCOUNT, LMS_PASSWORD: `${PASSWORD}\u0007` }),
        start([], { LMS_PASSWORD_FILE: PASSWORD, GATEWAY_API_KEYS_FILE: KEYS[0]!, JWT_KEY_FILE: JWT_KEY }),
      ].map(({ ended }) => ended),
    )
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 2, 2, 2, 2])
    expectNoSecret(...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]))
  })

  it('keep it from starting without a door', async () => {
    const { code, stdout, stderr } = await start(['--upstream', site.url, '--port', '0'], ACCOUNT).ended
    expect([code, stdout]).toEqual([2, ''])
    for (const door of ['GATEWAY_API_KEYS', 'JWT_JWKS_URL', 'GATEWAY_OPEN']) expect(stderr).toContain(door)
    expectNoSecret(stderr)
  })

  it('stand in no message about a failed start', async () => {
    const { port } = new URL(site.url)
    const { code, stdout, stderr } = await start(['--upstream', site.url, '--port', port], IN_ENV).ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('already in use')
    expectNoSecret(stderr)
  })

  it.each([
    ['SIGUSR2', 'boom'],
    ['SIGHUP', 'rejected'],
  ] as const)('stand in no report of a crash: %s', async (signal, message) => {
    const env = { ...IN_ENV, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(CRASH)}` }
    const command = start(['--upstream', site.url, '--port', '0'], env)
    await command.address()
    command.child.kill(signal)
    const { code, stdout, stderr } = await command.ended
    expect(code).toBe(1)
    expect(stdout).toContain('ERROR: crash')
    expect(stdout).toContain(message)
    expectNoSecret(stdout, stderr)
  })

  it('call the embedded LMS too, where visitors read what is published', async () => {
    const command = start(['--port', '0', '--open', '--lms-user', 'admin'], { LMS_PASSWORD: 'admin-demo' })
    const address = await command.address()
    const { data, errors } = await ask(
      address,
      {},
      '{ user(id: 3) { courseProgress { totalCount } } course(id: 10001) { title titleRaw } }',
    )
    const codes = errors.map(({ extensions }) => extensions.code)
    expect([codes, data.user.courseProgress, data.course]).toEqual([
      ['FORBIDDEN', 'FORBIDDEN'],
      null,
      { title: expect.any(String), titleRaw: null },
    ])
    expect(await (await fetch(`${address}/graphiql/config.json`)).json()).toMatchObject({ users: [] })
    const { stdout, stderr } = await command.stop()
    expect(`${stdout}${stderr}`).not.toContain('admin-demo')
  })
})
