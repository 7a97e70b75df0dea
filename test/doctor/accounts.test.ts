import { afterAll, beforeAll, expect, it } from 'vitest'
import { examine } from '../../src/doctor/examine.js'
import { DEMO_USERS, type RunningLms, startLms } from '../../src/lms/index.js'
import { findingOf } from './patient.js'

let lms: RunningLms
beforeAll(async () => {
  lms = await startLms({ profile: 'learndash-5' })
})
afterAll(() => lms.close())

const [ADMIN, LEADER, LEARNER] = DEMO_USERS.map(({ login, password }) => ({ user: login, password }))
const ROLES = ['administrator=roles=admin', 'editor=key:shop']

/** What the doctor says of accounts. It must not depend on the other checks. */
async function accountsOf(options: Partial<Parameters<typeof examine>[0]>) {
  const examination = await examine({ upstream: `${lms.url}/wp-json`, timeout: 5_000, maxResponseBytes: 20_000_000, ...options })
  return { accounts: findingOf(examination, 'accounts'), roles: findingOf(examination, 'accounts.roles') }
}

it('says that one account is for all callers, and which roles they have', async () => {
  expect(await accountsOf({ account: ADMIN, roles: ROLES })).toMatchObject({
    accounts: { state: 'ok', found: '`admin` for all callers', meaning: expect.stringContaining('rights of an administrator') },
    roles: { state: 'ok', found: 'administrator=roles=admin, editor=key:shop' },
  })
})

it('says nothing of accounts without one', async () => {
  expect(await accountsOf({ roles: ROLES })).toEqual({ accounts: undefined, roles: undefined })
})

it('checks that the account of visitors and learners may read what they need', async () => {
  const found = '`admin` for visitors and learners, `admin` for editors and administrators'
  expect(await accountsOf({ account: ADMIN, reader: ADMIN })).toMatchObject({
    accounts: { state: 'ok', found, meaning: '`admin` may read courses and the progress of users.' },
    roles: undefined,
  })
})

it.each([
  ['leader', LEADER],
  ['learner', LEARNER],
  ['admin', { user: 'admin', password: 'wrong' }],
])('warns of an account of %s that may not', async (login, reader) => {
  const found = `\`${login}\` for visitors and learners, \`admin\` for editors and administrators`
  expect(await accountsOf({ account: ADMIN, reader })).toMatchObject({
    accounts: { state: 'warning', found, meaning: expect.stringMatching(/was refused .* rights of an administrator/) },
  })
})
