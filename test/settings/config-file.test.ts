import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../../src/settings/config.js'
import { type FileValues, writeConfigFile } from '../../src/settings/config-file.js'
import { Secret } from '../../src/settings/secret.js'
import type { Setting } from '../../src/settings/setting.js'
import { SETTINGS } from '../../src/settings/settings.js'

type Env = Readonly<Record<string, string>>
type Files = Readonly<Record<string, string>>

const read = (files: Files, argv: readonly string[] = [], env: Env = {}) =>
  readConfig([...argv], env, (path) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' })
    return text
  })

/** What comes of a file, with flags and variables besides. */
function configOf(text: string, argv: readonly string[] = [], env: Env = {}, path = 'lms.yaml'): Config {
  const result = read({ [path]: text }, argv, { CONFIG_FILE: path, ...env })
  if (result.kind !== 'config') throw new Error(JSON.stringify(result))
  return result.config
}

function complaintsOf(text: string, path = 'lms.yaml', argv: readonly string[] = []): readonly string[] {
  const result = read({ [path]: text }, [...argv, '--config', path])
  if (result.kind !== 'complaints') throw new Error(JSON.stringify(result))
  return result.complaints
}

/** A value with its secrets bare, which all look alike else. */
const bare = (value: unknown): unknown => (value instanceof Secret ? value.reveal() : Array.isArray(value) ? value.map(bare) : value)

type FileName = keyof FileValues

/** A value for each setting, of each form a file may give it in, first as it is read. */
const VALUES: Readonly<Record<FileName, readonly (string | number | boolean | readonly string[])[]>> = {
  upstream: ['https://example.org/?rest_route='],
  port: [8080, '8080'],
  host: ['0.0.0.0'],
  maxInFlight: [8, '8'],
  timeout: [100, '100'],
  connectTimeout: [200, '200'],
  maxResponseBytes: [3_000, '3000'],
  memoryBudget: [50_000_000, '50000000'],
  writeTimeout: [3_000, '3000'],
  shareReads: [false, 'false'],
  compile: [false, 'false'],
  shortPath: [false, 'false'],
  maxRows: [500, '500'],
  maxCalls: [40, '40'],
  maxUnpaged: [7, '7'],
  explainFor: [['keys', 'admins'], 'keys,admins', 'keys, admins'],
  metrics: [true, 'true'],
  metricsOpen: [true, 'true'],
  subgraph: [true, 'true'],
  semanticNullability: [true, 'true'],
  subgraphUserKey: ['lmsId:Int', 'lmsId:Int'],
  data: ['school: "1" #2.db'],
  scale: [3, '3'],
  backup: ['copy of school.db'],
  profile: ['learndash-5'],
  switch: [['workers=2', 'bom'], 'workers=2,bom'],
  control: [true, 'true'],
  preset: ['learndash'],
  namespaceV1: ['a/v1'],
  namespaceV2: ['b/v2'],
  baseGroups: ['teams'],
  baseCourses: ['2024'],
  baseQuizzes: ['true'],
  baseLessons: ['null'],
  baseQuestions: ['1e3'],
  baseUsers: ['übungen'],
  baseProgress: ['yes'],
  basePriceTypes: ['0x10'],
  baseGroupCourses: ['no'],
  termPrefix: ['ld_'],
  fieldFilter: ['none', '_fields'],
  pageCap: [50, '50'],
  pageSizeParams: [['posts_per_page', 'size'], 'posts_per_page,size', 'posts_per_page, size'],
  unbatched: [[], 'none'],
  questionQuiz: ['engine'],
  payNowSpelling: ['buynow'],
  ignoredFilters: [['v2/groups/:id/courses include', 'v1/groups exclude'], 'v2/groups/:id/courses include,v1/groups exclude'],
  droppedFilters: [['v2/sfwd-lessons course']],
  unfilteredRoutes: [['v2/price-types']],
  missingColumns: [['GroupCourse.materials']],
  lmsUser: ['Ada #1 @example.org', '- Ada'],
  lmsPassword: ['0123 "4567" \'89\\n\': {x} # é'],
  lmsPasswordFile: ['password.txt'],
  apiKeys: [['first-key-0123456789', '{"second-key":0}#'], 'first-key-0123456789,{"second-key":0}#'],
  apiKeysFile: ['keys.txt'],
  open: [true, 'true'],
  jwtJwksUrl: ['https://example.org/keys?p=1#x'],
  jwtKey: ['- 0123456789\n  abcdef: 0123456789\n\n# abcdef\n'],
  jwtKeyFile: ['key.txt'],
  jwtIssuer: ['https://example.org/'],
  jwtAudience: ['42', ' lms '],
  jwtWithoutExpiry: [true, 'true'],
  jwtUserClaim: ['lms.user'],
  jwtAdminClaim: ['~'],
  jwtAdminValue: ['-'],
  forwardCookie: [true],
  maxQueue: [50_000, '50000'],
  maxQueuePerCaller: [50_000, '50000'],
  queueTimeout: [300_000, '300000'],
  operationTimeout: [300_000, '300000'],
  retries: [3, '3'],
  maxRetryDelay: [30_000, '30000'],
  retryBudget: [50, '50'],
  breakerThreshold: [75, '75'],
  breakerCalls: [500, '500'],
  breakerCooldown: [300_000, '300000'],
  staleIfError: [302_400, '302400'],
  staleEntries: [50_000, '50000'],
  staleBytes: [500_000_000, '500000000'],
  graphiql: [false, 'false'],
  introspection: [false, 'false'],
  suggestions: [true, 'true'],
  corsOrigins: [['https://a.example.org', '*'], 'https://a.example.org,*'],
  trustedProxies: [['10.0.0.0/8', '2001:db8::1'], '10.0.0.0/8,2001:db8::1'],
  trustedDocuments: ['trusted.json'],
  onlyTrusted: [true, 'true'],
  persistedQueries: [false, 'false'],
  maxBodyBytes: [4_000, '4000'],
  maxTokens: [5_000, '5000'],
  maxNesting: [50, '50'],
  maxDepth: [10, '10'],
  maxRootFields: [25, '25'],
  maxAliases: [0, '0'],
  maxFragments: [0, '0'],
  maxSelections: [500, '500'],
  maxRepeats: [50, '50'],
  maxDirectives: [0, '0'],
  maxListItems: [100, '100'],
  maxVariableValues: [100, '100'],
  maxIntrospection: [2, '2'],
  maxErrors: [10, '10'],
  maxAnswerSize: [2_000_000, '2000000'],
  headersTimeout: [5_000, '5000'],
  requestTimeout: [5_000, '5000'],
  idleTimeout: [5_000, '5000'],
  maxConnections: [100, '100'],
  logLevel: ['debug'],
  logFormat: ['json'],
  logVariables: [true, 'true'],
  workers: [2, '2'],
  drainTimeout: [5_000, '5000'],
}

const ACCOUNT = { LMS_USER: 'admin', LMS_PASSWORD: 'x' }
const TOKENS = { ...ACCOUNT, JWT_JWKS_URL: 'https://example.org/keys', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }

/** What a setting is of no use without. */
function beside(name: string): Env {
  const { env, fills } = SETTINGS[name as FileName] as Setting
  const others: Env = /^lms(User|Pass)/.test(name)
    ? { ...ACCOUNT, GATEWAY_OPEN: 'true' }
    : name.startsWith('jwt')
      ? TOKENS
      : name === 'onlyTrusted'
        ? { TRUSTED_DOCUMENTS: 'trusted.json' }
        : {}
  const instead = [env, fills && (SETTINGS[fills as FileName] as Setting).env, /^jwtKey/.test(name) ? 'JWT_JWKS_URL' : undefined]
  return Object.fromEntries(Object.entries(others).filter(([each]) => !instead.includes(each)))
}

/** Files that settings name. */
const NAMED: Files = { 'password.txt': 'x', 'keys.txt': 'first-key-0123456789', 'key.txt': 'k'.repeat(32) }

const names = Object.keys(VALUES) as FileName[]

/** The command that takes a setting from a file: the gateway, unless only the embedded LMS takes it. */
const commandOf = (name: FileName): string => {
  const { commands } = SETTINGS[name] as Setting
  return commands.includes('lms') && !commands.includes('serve') ? 'lms' : 'serve'
}

describe('a configuration file', () => {
  it('can hold every setting but its own name', () => {
    expect(names.toSorted()).toEqual(
      Object.keys(SETTINGS)
        .filter((name) => name !== 'configFile')
        .toSorted(),
    )
    expect(complaintsOf('configFile: x')).toEqual([expect.stringMatching(/^`configFile` \(lms.yaml, line 1\) is no setting; /)])
  })

  it('calls settings as flags and variables do, but for the keys of callers', () => {
    const camelCase = (name: string) => name.toLowerCase().replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
    const others = names.filter((name) => {
      const { flag, env } = SETTINGS[name] as Setting
      return camelCase(flag ?? env) !== name
    })
    expect(others).toEqual(['apiKeys', 'apiKeysFile'])
  })

  /** `schema` reads no file: its settings stand there without effect. */
  const effective = names.filter((name) => (SETTINGS[name] as Setting).commands.some((command) => command !== 'schema'))

  it.each(effective)('gives %s, in JSON and in YAML, as a flag would', (name) => {
    for (const value of VALUES[name]) {
      const env = Array.isArray(value) ? value.join() || 'none' : String(value)
      const wanted = read(NAMED, [commandOf(name)], { ...beside(name), [SETTINGS[name].env]: env })
      if (wanted.kind !== 'config') throw new Error(JSON.stringify(wanted))
      for (const path of ['lms.json', 'lms.yaml', 'lms.yml', 'lms.conf']) {
        const result = read(
          { ...NAMED, [path]: JSON.stringify({ [name]: value }, null, '\t') },
          [commandOf(name), '--config', path],
          beside(name),
        )
        if (result.kind !== 'config') throw new Error(JSON.stringify(result))
        expect(bare(result.config[name])).toEqual(bare(wanted.config[name]))
        expect(result.config[name]).not.toEqual(SETTINGS[name].schema.parse(undefined))
      }
    }
  })

  it.each(effective)('reads back what is written of %s', (name) => {
    for (const value of VALUES[name]) {
      const text = writeConfigFile({ [name]: value })
      expect(text).toContain(`# ${SETTINGS[name].description}\n${name}:`)
      const result = read({ ...NAMED, 'lms.yaml': text }, [commandOf(name), '--config=lms.yaml'], beside(name))
      if (result.kind !== 'config') throw new Error(JSON.stringify(result))
      const [first] = VALUES[name]
      if (value === first) expect(bare(result.config[name])).toEqual(value)
    }
  })

  it('is written from a configuration, and reads back as the same', () => {
    const config = configOf('preset: learndash\nunbatched: [courses]\nmissingColumns: []\nport: 0\nshareReads: false\nfieldFilter: none')
    // Secrets are no texts there, and what tells of tokens is of no use without them.
    const { command, configFile, apiKeys, lmsPassword, jwtKey, jwtUserClaim, jwtAdminClaim, jwtAdminValue, ...settings } = config
    const text = writeConfigFile(settings)
    expect(configOf(text)).toEqual(config)
    expect(text).not.toMatch(/^(upstream|pageCap|lmsUser):/m)
  })

  it('is written with a blank line between settings, in their order, whatever their values', () => {
    expect(writeConfigFile({ preset: 'learndash', port: 0, pageSizeParams: ['a', 'b'], upstream: null })).toBe(
      [
        `# ${SETTINGS.port.description}\nport: 0\n`,
        `# ${SETTINGS.preset.description}\npreset: learndash\n`,
        `# ${SETTINGS.pageSizeParams.description}\npageSizeParams:\n  - a\n  - b\n`,
      ].join('\n'),
    )
    expect(writeConfigFile({})).toBe('')
  })

  it('comes after flags and variables, and before defaults', () => {
    const text = 'port: 1\nhost: a\nscale: 2\nforwardCookie: true'
    expect(configOf(text, ['--port=3', '--forward-cookie=false'], { PORT: '2', HOST: 'b' })).toMatchObject({
      port: 3,
      host: 'b',
      scale: 2,
      maxRows: 1_000,
      forwardCookie: false,
    })
    expect(configOf('port: 1', ['lms']).port).toBe(1)
    expect(configOf('', ['lms']).port).toBe(4001)
    expect(configOf('port: 1', [], { PORT: '' }).port).toBe(1)
  })

  it('is named by a flag rather than by the variable', () => {
    const result = read({ 'a.yaml': 'port: 1', 'b.yaml': 'port: 2' }, ['--config', 'a.yaml'], { CONFIG_FILE: 'b.yaml' })
    expect(result).toMatchObject({ config: { port: 1, configFile: 'a.yaml' } })
  })

  it('may hold what only other commands have', () => {
    expect(configOf('lmsUser: admin\npageCap: 5\nscale: 2', ['lms'])).toMatchObject({ lmsUser: null, pageCap: null, scale: 2 })
    expect(configOf('nonsense', ['schema']).configFile).toBeNull()
  })

  it.each<[string, string]>([
    ['empty', ''],
    ['only comments', '# nothing\n\n# at all\n'],
    ['an empty document', '---\n...\n'],
    ['an empty object', '{}'],
  ])('may be %s', (_, text) => {
    expect(configOf(text).port).toBe(4000)
  })

  it('may begin with a byte order mark, and end lines as Windows does', () => {
    expect(configOf('\uFEFFport: 1\r\nhost: a\r\n')).toMatchObject({ port: 1, host: 'a' })
    expect(configOf('\uFEFF{"port": 1}', [], {}, 'lms.json')).toMatchObject({ port: 1 })
  })

  it('names files that lie beside it', () => {
    const files = { 'etc/lms/lms.yaml': 'lmsPasswordFile: password.txt\nlmsUser: admin\nopen: true\ndata: ../school.db\n' }
    const result = read({ ...files, 'etc/lms/password.txt': 's3cret\n' }, ['--config', 'etc/lms/lms.yaml'])
    expect(result).toMatchObject({ config: { data: 'etc/school.db' } })
    expect(bare((result as { config: Config }).config.lmsPassword)).toBe('s3cret')
    const absolute = read({ 'etc/lms.yaml': 'data: /var/school.db' }, ['--config', 'etc/lms.yaml'], {})
    expect(absolute).toMatchObject({ config: { data: '/var/school.db' } })
    // Variables are no part of the file.
    expect(read({ 'etc/lms.yaml': '' }, ['--config', 'etc/lms.yaml'], { LMS_DATA: 'school.db' })).toMatchObject({
      config: { data: 'school.db' },
    })
  })
})

const KEYS = 'settings are named like flags, in camel case: `maxInFlight` for `--max-in-flight`.'

describe('complaints about a configuration file', () => {
  it('come all at once, with those about flags, each with file, key and line', () => {
    const text = `port: x
maxRows: 0
prot: 1
page-cap: 5
LMS_URL: https://example.org
scale:
host: [a]
unbatched:
  - groups
  - 7
timeout: true
jwtAudience: 42
port: 1
open: maybe
shareReads: 1
pageCap: { is: 5 }
questionQuiz: both
`
    expect(complaintsOf(text, 'etc/lms.yaml', ['--wrong'])).toEqual([
      '`--wrong` is no flag; `--help` lists them.',
      '`port` (etc/lms.yaml, line 1) is `x`; it must be a whole number from 0 to 65535.',
      '`maxRows` (etc/lms.yaml, line 2) is `0`; it must be a whole number from 1 to 10000.',
      `\`prot\` (etc/lms.yaml, line 3) is no setting; ${KEYS}`,
      '`page-cap` (etc/lms.yaml, line 4) is no setting; `pageCap` is.',
      '`LMS_URL` (etc/lms.yaml, line 5) is no setting; `upstream` is.',
      '`scale` (etc/lms.yaml, line 6) is without a value; it must be a whole number from 1 to 100.',
      '`host` (etc/lms.yaml, line 7) is a list; it must be a host name or address.',
      '`unbatched` (etc/lms.yaml, line 8) holds what is no text, as item 2; it must be a list of groups, courses, lessons and quizzes, separated by commas, or `none`.',
      '`timeout` (etc/lms.yaml, line 11) is true or false; it must be a whole number from 1 to 600000.',
      '`jwtAudience` (etc/lms.yaml, line 12) is a number; it must be a text, in quotes.',
      '`port` (etc/lms.yaml, line 13) is there already, in line 1; drop one of them.',
      '`open` (etc/lms.yaml, line 14) is `maybe`; it must be true or false.',
      '`shareReads` (etc/lms.yaml, line 15) is a number; it must be true or false.',
      '`pageCap` (etc/lms.yaml, line 16) is no plain value; it must be a whole number from 1 to 1000.',
      '`questionQuiz` (etc/lms.yaml, line 17) is `both`; it must be id or engine.',
      // What rules say of it besides.
      expect.stringMatching(/^`jwtAudience` \(etc\/lms.yaml, line 12\) is of no use without `LMS_USER`/),
    ])
  })

  it('are the same in JSON', () => {
    expect(complaintsOf('{\n  "port": "x",\n  "prot": 1,\n  "maxRows": 1.5,\n  "maxRows": 2\n}', 'lms.json')).toEqual([
      '`port` (lms.json, line 2) is `x`; it must be a whole number from 0 to 65535.',
      `\`prot\` (lms.json, line 3) is no setting; ${KEYS}`,
      '`maxRows` (lms.json, line 4) is `1.5`; it must be a whole number from 1 to 10000.',
      '`maxRows` (lms.json, line 5) is there already, in line 4; drop one of them.',
    ])
  })

  it('name a value that a flag or variable would have covered', () => {
    expect(complaintsOf('port: x', 'lms.yaml', ['--port=1'])).toHaveLength(1)
  })

  it('name settings that do not go together, wherever they come from', () => {
    expect(complaintsOf('lmsUser: admin\nforwardCookie: true', 'lms.yaml', ['--open'])).toEqual([
      '`lmsUser` (lms.yaml, line 1) needs its application password: set `LMS_PASSWORD` or `LMS_PASSWORD_FILE`.',
      expect.stringMatching(/^`forwardCookie` \(lms.yaml, line 2\) does not go with `lmsUser` \(lms.yaml, line 1\)/),
    ])
    expect(complaintsOf('lmsUser: admin\nlmsPassword: 17\nopen: true')).toEqual([
      '`lmsPassword` (lms.yaml, line 2) is a number; it must be a text of one line, in quotes.',
    ])
    expect(complaintsOf('lmsUser: admin\nlmsPasswordFile: missing\nopen: true')).toEqual([
      'The file that `lmsPasswordFile` (lms.yaml, line 2) names cannot be read (ENOENT).',
    ])
  })

  it.each<[string, string, string]>([
    ['a list', '- port', 'must hold an object of settings'],
    ['a text', 's3cret', 'must hold an object of settings'],
    ['a long key', `"${'k'.repeat(5_000)}": 1`, 'is no YAML, at line 1: a key is too long'],
    ['two documents', 'port: 1\n---\nhost: a', 'is no YAML, at line 2: it holds several documents'],
    ['a colon too many', 'port: 1\nhost: a: b', 'is no YAML, at line 2: there is a second colon, so the value needs quotes'],
    ['tabs', 'port:\n\t1: 2', 'is no YAML, at line 2: it is indented by tabs'],
    ['an open quote', 'host: "s3cret', 'is no YAML, at line 1: a quote, comma, colon or bracket is missing'],
    ['a wrong escape', 'host: "\\s3cret"', 'is no YAML, at line 1: an escape in a text is wrong'],
    ['an unknown tag', 'host: !s3cret a', 'is no YAML, at line 1: the tag is unknown'],
    ['an open bracket', 'unbatched: [s3cret', 'is no YAML, at line 1: the indentation is wrong'],
  ])('say where a file is broken, and not what it holds: %s', (_, text, complaint) => {
    const complaints = complaintsOf(text)
    expect(complaints[0]).toBe(`\`lms.yaml\` ${complaint}.`)
    expect(complaints.join()).not.toContain('s3cret')
  })

  it.each<[string, string, string]>([
    ['comments', '{"port": 1} # s3cret', 'is no JSON: what it holds only YAML allows, such as bare texts and comments'],
    ['bare keys', '{port: s3cret}', 'is no JSON: what it holds only YAML allows, such as bare texts and comments'],
    ['a comma too many', '{"port": 1,}', 'is no JSON: what it holds only YAML allows, such as bare texts and comments'],
    ['nothing', '', 'is no JSON: what it holds only YAML allows, such as bare texts and comments'],
    ['a list', '["s3cret"]', 'must hold an object of settings'],
    ['null', 'null', 'must hold an object of settings'],
    ['no end', '{\n"port": "s3cret"', 'is no JSON, at line 2: a quote, comma, colon or bracket is missing'],
  ])('are strict about JSON: %s', (_, text, complaint) => {
    expect(complaintsOf(text, 'lms.json')).toEqual([`\`lms.json\` ${complaint}.`])
  })

  it('are only about the file where it can not be read, since what is missing may be in it', () => {
    for (const text of ['lmsPassword: "x', '- lmsPassword: x']) expect(complaintsOf(text, 'lms.yaml', ['--lms-user=admin'])).toHaveLength(1)
    expect(read({}, ['--config', 'missing.yaml', '--lms-user=admin'])).toEqual({
      kind: 'complaints',
      complaints: ['The file that `--config` names cannot be read (ENOENT).'],
    })
    expect(read({}, [], { CONFIG_FILE: 'missing.yaml' })).toEqual({
      kind: 'complaints',
      complaints: ['The file that `CONFIG_FILE` names cannot be read (ENOENT).'],
    })
  })

  it.each([
    ['anchors', 'host: &a b\ndata: *a', ['`data` (lms.yaml, line 2) is no plain value; it must be a file name.']],
    ['merges', 'x: &x {port: 1}\n<<: *x', [/^`x`/, /^`<<` \(lms.yaml, line 2\) is no setting/]],
    ['aliases of nothing', 'host: *s3cret', [/^`host` \(lms.yaml, line 1\) is no plain value/]],
    ['aliases in lists', 'host: &a b\nunbatched: [*a]', [/^`unbatched` \(lms.yaml, line 2\) holds what is no text, as item 1;/]],
    ['keys that are lists', '? [a]\n: 1', [/^`…` \(lms.yaml, line 1\) is no setting/]],
    ['keys that are nothing', ': 1', [/^`null` \(lms.yaml, line 1\) is no setting/]],
    ['empty items', 'unbatched: [""]\npageSizeParams: [a, ""]', [/^`unbatched`.* is ``/, /^`pageSizeParams`.* is `a,`/]],
    ['no keys at all for callers', 'apiKeys: []', [/^`apiKeys`.* is wrong/]],
    [
      'keys of every object',
      '__proto__: 1\nconstructor: 2\ntoString: 3',
      [/^`__proto__`.* is no setting/, /^`constructor`.* is no setting/, /^`toString`.* is no setting/],
    ],
    ['long keys', `"${'k'.repeat(1_000)}": 1`, [/^`k{60}` \(/]],
    ['control characters', '"a\\e\\n": 1', [/^`a {2}` \(/]],
    ['binary texts', 'host: !!binary aGk=', [/^`host` \(lms.yaml, line 1\) is no plain value/]],
    ['sets', 'host: !!set {a}', [/^`host` \(lms.yaml, line 1\) is no plain value|^`lms.yaml` is no YAML/]],
    ['numbers that are none', 'port: .nan\nscale: .inf\nmaxRows: 99999999999999999999', [/^`port`.* is `NaN`/, /^`scale`/, /^`maxRows`/]],
  ] as [string, string, (string | RegExp)[]][])('are made about tricks: %s', (_, text, wanted) => {
    const complaints = complaintsOf(text)
    expect(complaints).toHaveLength(wanted.length)
    wanted.forEach((each, index) => {
      expect(complaints[index]).toMatch(each)
    })
    expect(complaints.join()).not.toContain('s3cret')
  })

  it.each([
    ['brackets', '['.repeat(300_000)],
    ['braces', '{"a":'.repeat(100_000)],
    ['dashes', '- '.repeat(300_000)],
    ['questions', '? '.repeat(300_000)],
    ['colons', 'a: '.repeat(300_000)],
    ['indentation', Array.from({ length: 1_300 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
    ['brackets in a value', `port: ${'['.repeat(300_000)}`],
  ])('come soon when %s nest without end', (_, text) => {
    for (const path of ['lms.yaml', 'lms.json'])
      expect(complaintsOf(text, path)).toEqual([`\`${path}\` is nested too deeply; it must be an object of settings.`])
  })

  it('show no secret', () => {
    for (const [name, setting] of Object.entries(SETTINGS) as [string, Setting][]) {
      if (!setting.hidden || setting.holds === 'file') continue
      for (const value of ['"s3cret:\\n"', '[s3cret, 1]', '{s3cret: s3cret}', '&s3cret "\\t"', '!s3cret x', '"s3cret'])
        expect(complaintsOf(`${name}: ${value}`).join(), `${name}: ${value}`).not.toContain('s3cret')
    }
  })
})

describe('a file on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string | Buffer): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  it('is read, with those it names', () => {
    file('keys.txt', 'first-key-0123456789\n')
    const result = readConfig(['--config', file('lms.yaml', '# ä\nport: 8080\napiKeysFile: keys.txt\n')], {})
    expect(result).toMatchObject({ config: { port: 8080 } })
    expect(bare((result as { config: Config }).config.apiKeys)).toEqual(['first-key-0123456789'])
  })

  it('may have up to 1 MB', () => {
    const most = `port: 1 #${'x'.repeat(1_000_000 - 9)}`
    expect(readConfig(['--config', file('most.yaml', most)], {})).toMatchObject({ config: { port: 1 } })
    expect(readConfig(['--config', file('more.yaml', `${most}x`)], {})).toEqual({
      kind: 'complaints',
      complaints: ['The file that `--config` names is larger than 1 MB.'],
    })
  })

  it('is no folder, and is there', () => {
    const complaintsAbout = (path: string) => (readConfig(['--config', path], {}) as { complaints: readonly string[] }).complaints
    expect(complaintsAbout(folder)).toEqual(['The file that `--config` names cannot be read (EISDIR).'])
    expect(complaintsAbout(join(folder, 'missing'))).toEqual(['The file that `--config` names cannot be read (ENOENT).'])
  })
})
