import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/lms/auth.js'
import { openDatabase } from '../../src/lms/sqlite.js'
import { basic } from '../../src/upstream/credentials.js'
import { Command } from '../support/command.js'
import { AUDIENCE, ISSUER } from './issuer.js'

// A school behind one address: 500 learners open their home within a minute, at a gateway with its default limits. The site is the embedded LMS in a
// process of its own.

const LEARNERS = 500
/** Learners who wait for an answer at the same time. */
const AT_A_TIME = 40
const MINUTE = 60_000

const HOME = readFileSync(new URL('../../schema/operations/12-learner-home.graphql', import.meta.url), 'utf8')
const SECRET = 'a shared secret of more than 32 bytes'
const FLAGS = ['--port', '0', '--log-level', 'warn', '--metrics', 'open', '--site-routes', 'users/me,users']

interface Learner {
  readonly id: number
  readonly login: string
}

const folder = mkdtempSync(join(tmpdir(), 'lms-classroom-'))
const data = join(folder, 'school.db')
const passwordOf = (login: string): string => `${login}-password`
let learners: readonly Learner[]
let site: Command
let upstream: string

beforeAll(async () => {
  const start = async (): Promise<void> => {
    site = new Command(['lms', '--port', '0', '--data', data, '--scale', '3'])
    upstream = `${await site.address()}`
  }
  await start()
  await site.stop()
  const database = openDatabase(data)
  const rows = database.prepare(`SELECT id, login FROM users WHERE login LIKE 'pupil%' LIMIT ${LEARNERS}`).all() as Learner[]
  const set = database.prepare('UPDATE users SET password_hash = ? WHERE id = ?')
  database.transaction(() => {
    for (const { id, login } of rows) set.run(hashPassword(login, passwordOf(login)), id)
  })()
  database.close()
  learners = rows
  await start()
}, MINUTE)
afterAll(async () => {
  await site.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** What a learner sees who opens the home, in short. */
async function open(url: string, authorization: string): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query: HOME }),
  })
  const { data, errors } = (await response.json()) as { data?: any; errors?: { extensions: { code: string } }[] }
  if (errors) return `${response.status} ${errors[0]?.extensions.code}`
  return data.viewer.courseProgress.nodes.length > 0 ? 'shown' : 'empty'
}

/** Lets all learners open their home. */
async function school(gateway: Command, authorizationOf: (learner: Learner) => string | Promise<string>): Promise<void> {
  const url = await gateway.address()
  const seen = new Map<string, number>()
  const left = [...learners]
  const since = performance.now()
  const next = async (): Promise<void> => {
    for (let learner = left.pop(); learner; learner = left.pop()) {
      const outcome = await open(url, await authorizationOf(learner))
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, next))
  const took = performance.now() - since
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const [, calls] = /^lms_operation_rest_calls_sum\{.*\} (\d+)$/m.exec(metrics) ?? []
  console.log(`${LEARNERS} learners opened their home in ${Math.round(took / 1_000)} s, with ${calls} REST calls`)
  expect([...seen]).toEqual([['shown', LEARNERS]])
  expect(took).toBeLessThan(MINUTE)
  expect(Number(calls)).toBeGreaterThan(3 * LEARNERS)
}

describe(`a classroom of ${LEARNERS} learners behind one address`, { timeout: 3 * MINUTE }, () => {
  it('opens the home of each learner within a minute, with credentials of their own', async () => {
    const gateway = new Command(['--upstream', upstream, ...FLAGS], { NODE_ENV: 'production' })
    try {
      await school(gateway, ({ login }) => basic(login, passwordOf(login)))
    } finally {
      await gateway.stop()
    }
  })

  it('opens the home of each learner within a minute, with tokens', async () => {
    const gateway = new Command(
      ['--upstream', upstream, '--lms-user', 'admin', '--jwt-issuer', ISSUER, '--jwt-audience', AUDIENCE, ...FLAGS],
      { NODE_ENV: 'production', LMS_PASSWORD: 'admin-demo', JWT_KEY: SECRET },
    )
    const token = ({ id }: Learner): Promise<string> =>
      new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: String(id) })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('5m')
        .sign(new TextEncoder().encode(SECRET))
        .then((text) => `Bearer ${text}`)
    try {
      await school(gateway, token)
    } finally {
      await gateway.stop()
    }
  })
})
