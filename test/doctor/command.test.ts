import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_USERS, type RunningLms, startLms } from '../../src/lms/index.js'
import { readOptions } from '../../src/options/read.js'
import { entryAt } from '../../src/options/table.js'
import { Command, type Ended } from '../support/command.js'

const { login, password } = DEMO_USERS[0]!
const LEARNER = DEMO_USERS.find((user) => user.login === 'learner')!
const ACCOUNT = { LMS_USER: login, LMS_PASSWORD: password }

let lms: RunningLms
let folder: string
beforeAll(async () => {
  lms = await startLms()
  folder = mkdtempSync(join(tmpdir(), 'doctor-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await lms.close()
})

const doctor = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Command(['doctor', ...argv], env).ended

describe('lms-graphql doctor', () => {
  it('prints a table and its progress, and exits with 0', async () => {
    const { code, stdout, stderr } = await doctor(['--upstream', lms.url, '--question', '500001'], ACCOUNT)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^STATE +CHECK +FOUND/m)
    expect(stdout).toMatch(/^ok +Namespaces +lms\/v1 and lms\/v2$/m)
    expect(stdout).toMatch(/^http:\S+, \d+ calls made\n/)
    expect(stdout).toMatch(/^0 broken, 0 with less data/m)
    expect(stderr).toMatch(/^ 1\/180 the REST root\n/)
    expect(stdout + stderr).not.toContain(password)
  })

  it('exits with 1 when a finding breaks the graph', async () => {
    const { code, stdout } = await doctor(['--upstream', 'http://127.0.0.1:1'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^breaks +Site +the connection was refused/m)
    expect(stdout).toMatch(/^http:\S+, \d+ calls? made\n/)
  })

  it('writes JSON, and settings with which a gateway runs', async () => {
    const file = join(folder, 'lms.yaml')
    const { code, stdout } = await doctor(['--upstream', lms.url, '--format', 'json', '--write', file], ACCOUNT)
    const { site, findings, calls, config } = JSON.parse(stdout) as Record<string, any>
    expect([code, site.url, findings.length > 10, calls.length > 20, config.site.preset]).toEqual([0, lms.url, true, true, 'lms'])
    expect(readFileSync(file, 'utf8')).not.toContain(password)
    const gateway = new Command(['serve', '--config', file, '--port', '0'])
    const answer = await fetch(`${await gateway.address()}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ courses(first: 1) { nodes { title lessons(first: 1) { nodes { title } } } } }' }),
    })
    const title = expect.any(String)
    expect(await answer.json()).toEqual({ data: { courses: { nodes: [{ title, lessons: { nodes: [{ title }] } }] } } })
    await gateway.stop()
  })

  it('names the file that it has written or checked in its last line', async () => {
    const file = join(folder, 'checked.yaml')
    const lastLine = async (argv: readonly string[]) => (await doctor(argv, ACCOUNT)).stderr.trimEnd().split('\n').at(-1)
    expect(await lastLine(['--upstream', lms.url, '--write', file])).toBe(
      `lms-graphql: \`${file}\` was written; start the gateway with it: \`lms-graphql --config ${file}\`.`,
    )
    const checked = await doctor(['--config', file], ACCOUNT)
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 broken, 0 with less data/m) })
    expect(checked.stderr.trimEnd().split('\n').at(-1)).toBe(`lms-graphql: \`${file}\` has the settings that the site needs.`)
    writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}\n  pageCap: 50\n  fieldFilter: none\n  bypassingUsers: [7]\n`)
    expect(await lastLine(['--config', file])).toBe(
      `lms-graphql: \`${file}\` differs from the site in fieldFilter, pageCap; \`--write FILE\` writes the settings that the site needs.`,
    )
    expect(await lastLine(['--config', file, '--upstream', 'http://127.0.0.1:1'])).toBe(
      `lms-graphql: \`${file}\` was not checked, because the interface was not found.`,
    )
  })

  it('keeps the settings of a checked file that it cannot measure', async () => {
    const [file, next] = [join(folder, 'given.yaml'), join(folder, 'next.yaml')]
    writeFileSync(file, `site:\n  url: ${lms.url}\n  missingPrerequisites: required\n  pageCap: 20\n`)
    expect((await doctor(['--config', file, '--write', next], ACCOUNT)).code).toBe(0)
    expect(readFileSync(next, 'utf8')).toContain('missingPrerequisites: required')
    expect(readFileSync(next, 'utf8')).not.toContain('pageCap')
  })

  it('exits with 3 when the rights of the account do not suffice to examine the site', async () => {
    const strict = await startLms({ profile: 'learndash' })
    for (const [upstream, limits] of [
      [lms.url, /^Incomplete: the account may not edit\.\n1 with less data/m],
      [`${strict.url}/wp-json`, /^Incomplete: the account may not read [a-z ,]*\bcourses\b[^.]*\bmay not edit\.\n\d+ with less data/m],
    ] as const) {
      const { code, stdout } = await doctor(['--upstream', upstream], { LMS_USER: LEARNER.login, LMS_PASSWORD: LEARNER.password })
      expect([code, stdout.includes('0 broken')]).toEqual([3, false])
      expect(stdout).toMatch(limits)
    }
    await strict.close()
  })

  it('overwrites no file without `--force`', async () => {
    const file = join(folder, 'mine.yaml')
    writeFileSync(file, 'mine')
    const refused = await doctor(['--upstream', lms.url, '--write', file])
    expect([refused.code, refused.stdout, readFileSync(file, 'utf8')]).toEqual([2, '', 'mine'])
    expect(refused.stderr).toContain('--force')
    expect((await doctor(['--upstream', lms.url, '--write', file, '--force'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain(`site:\n  # ${entryAt('site.url').description}\n  url: ${lms.url}\n`)
    const nowhere = await doctor(['--upstream', lms.url, '--write', join(folder, 'none', 'lms.yaml')])
    expect(nowhere).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^lms-graphql: the configuration cannot be written .*\(ENOENT\)\.\n$/),
    })
    const wrong = await doctor(['--upstream', lms.url, '--write', join(folder, 'wrong.yaml')], { ...ACCOUNT, LMS_PASSWORD: 'wrong' })
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('some queries fail with it') })
    expect(wrong.stderr).not.toContain('start the gateway')
    const unknown = await doctor(['--upstream', 'http://127.0.0.1:1', '--write', join(folder, 'other.yaml')])
    expect([unknown.code, unknown.stderr.includes('no configuration was written')]).toEqual([1, true])
  })
})

describe('its command line', () => {
  const read = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => readOptions(argv, env)
  const complaints = (argv: readonly string[]): readonly string[] => {
    const result = read(['doctor', '--upstream', 'http://site.test', ...argv])
    return result.kind === 'complaints' ? result.complaints : []
  }

  it('accepts its own flags and settings', () => {
    const argv = ['--format=json', 'doctor', '--write=a.yaml', '--upstream', 'http://site.test', '--force', '--user', '3', '--timeout', '9']
    expect(read(argv)).toMatchObject({
      kind: 'options',
      command: 'doctor',
      options: { site: { url: 'http://site.test' }, protection: { timeout: 9 } },
      args: { format: 'json', write: 'a.yaml', force: true, user: 3, question: undefined },
    })
  })

  it('needs a site, but no authentication of clients', () => {
    expect(read(['doctor'])).toEqual({ kind: 'complaints', complaints: ['`doctor` needs a site: set `--upstream` or `LMS_URL`.'] })
    expect(read(['doctor'], { LMS_URL: 'https://site.test', ...ACCOUNT }).kind).toBe('options')
  })

  it.each([
    [['--write'], '`--write` has no value; it must be the name of a file.'],
    [['--write='], '`--write` has no value; it must be the name of a file.'],
    [['--write', '--format=json'], '`--write` has no value; it must be the name of a file.'],
    [['--user', 'me'], '`--user` is `me`; it must be a whole number from 1 to 2147483647.'],
    [['--question', '0'], '`--question` is `0`; it must be a whole number from 1 to 2147483647.'],
    [['--format=yes'], '`--format` is `yes`; it must be `text`, `json` or `github`.'],
    [['--format', 'github'], '`--format` is `github`, which `check` prints only.'],
    [['--force'], '`--force` has no effect without `--write`: set that, or drop `--force`.'],
    [['--port', '1'], '`--port` is a flag of `serve` and `lms`, not of `doctor`.'],
    [['--wrong'], '`--wrong` is not a flag; `--help all` lists them.'],
  ])('complains of %j', (argv, complaint) => {
    expect(complaints(argv)).toEqual([complaint])
  })

  it.each(['serve', 'lms', 'schema'])('is not accepted by %s', (command) => {
    expect(read([command, '--write=x'])).toEqual({
      kind: 'complaints',
      complaints: [`\`--write\` is a flag of \`doctor\`, not of \`${command}\`.`],
    })
  })
})
