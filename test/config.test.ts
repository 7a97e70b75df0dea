import { generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Config, helpText, readConfig } from '../src/settings/config.js'
import { Secret } from '../src/settings/secret.js'
import { COMMANDS, type Setting } from '../src/settings/setting.js'
import { SETTINGS } from '../src/settings/settings.js'

type Env = Record<string, string | undefined>
type Name = keyof typeof SETTINGS

const settings: readonly Setting[] = Object.values(SETTINGS)

const publicPem = (type: 'rsa' | 'ec' | 'ed25519', options: object = {}): string =>
  generateKeyPairSync(type as 'rsa', options as { modulusLength: number }).publicKey.export({ type: 'spki', format: 'pem' }) as string

const RSA = publicPem('rsa', { modulusLength: 2048 })
const KEYS = 'first-key-0123456789,second-key-0123456789'

/** Files there are. */
const FILES: Env = {
  'password.txt': 'abcd efgh ijkl\n',
  'keys.txt': 'first-key-0123456789\r\n\nsecond-key-0123456789\n',
  'key.pem': RSA,
  'empty.txt': '\n',
  'lines.txt': 's3cret\nsecond\n',
  'short.txt': 's3cret\n',
  'comments.yaml': '# nothing\n',
  'empty.json': '{}',
}

const readFile = (path: string): string => {
  const text = FILES[path]
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' })
  return text
}

const configOf = (argv: readonly string[], env: Env = {}): Config => {
  const result = readConfig(argv, env, readFile)
  if (result.kind !== 'config') throw new Error(JSON.stringify(result))
  return result.config
}

const complaintsOf = (argv: readonly string[], env: Env = {}): readonly string[] => {
  const result = readConfig(argv, env, readFile)
  if (result.kind !== 'complaints') throw new Error(JSON.stringify(result))
  return result.complaints
}

/** A value with its secrets bare, which all look alike else. */
const bare = (value: unknown): unknown => (value instanceof Secret ? value.reveal() : Array.isArray(value) ? value.map(bare) : value)

interface Row {
  /** Secrets have none. */
  readonly flag?: string
  readonly env: string
  readonly otherwise: unknown
  /** Texts that are taken, with what they come to. */
  readonly good: readonly (readonly [string, unknown])[]
  readonly bad: readonly string[]
  /** Part of every complaint about it. */
  readonly allowed: string
  readonly commands: readonly string[]
  /** Variables it is of no use without. */
  readonly beside?: Env
  /** Whether its values are never shown. */
  readonly hidden?: boolean
}

const wholeNumber = (least: number, most: number): Pick<Row, 'good' | 'bad' | 'allowed'> => ({
  good: [
    [String(least), least],
    [String(most), most],
  ],
  bad: [String(least - 1), String(most + 1), '1.5', '1e3', '0x10', ' 5', 'many', '-1', '99999999999999999999'],
  allowed: `a whole number from ${least} to ${most}`,
})

const number = (flag: string, env: string, otherwise: number, least: number, most: number): Row => ({
  flag: `--${flag}`,
  env,
  otherwise,
  ...wholeNumber(least, most),
  commands: ['serve'],
})

const list = (good: readonly string[], bad: readonly string[], what: string): Omit<Row, 'flag' | 'env'> => ({
  otherwise: null,
  good: [...good, good.join(' , ')].map((text): [string, string[]] => [text, text.split(' , ')]).concat([['none', []]]),
  bad: [...bad, `${good[0]},,${good[0]}`, `${good[0]},`, `none,${good[0]}`, `${good[0]},none`],
  allowed: `a list of ${what}, separated by commas, or \`none\``,
  commands: ['serve'],
})

const base = (name: string): Row => ({
  flag: `--base-${name}`,
  env: `BASE_${name.toUpperCase().replaceAll('-', '_')}`,
  otherwise: null,
  good: [
    ['kurse', 'kurse'],
    ['course_v2.1', 'course_v2.1'],
    ['übungen', 'übungen'],
  ],
  bad: ['a/b', '/a', '..', '.a', 'two words', 'a%20b', ':id', 'a&b'],
  allowed: 'one path segment of letters, digits, `-`, `_` and `.`',
  commands: ['serve'],
})

const namespace = (version: string): Row => ({
  flag: `--namespace-${version}`,
  env: `NAMESPACE_${version.toUpperCase()}`,
  otherwise: null,
  good: [
    [`ldlms/${version}`, `ldlms/${version}`],
    ['api', 'api'],
  ],
  bad: ['/lms/v1', 'lms/v1/', 'lms//v1', 'lms/../v1', 'lms v1', 'läms/v1', 'lms/v1&x=1'],
  allowed: `path segments of letters, digits, \`-\`, \`_\` and \`.\`, such as lms/${version}`,
  commands: ['serve'],
})

const CLAIM = 'the name of a claim, with dots for one inside another'

const ofTokens = (text: string, allowed: string): Pick<Row, 'good' | 'bad' | 'allowed' | 'commands' | 'beside'> => ({
  good: [[text, text]],
  bad: [],
  allowed,
  commands: ['serve'],
  beside: {
    LMS_USER: 'admin',
    LMS_PASSWORD: 'x',
    JWT_JWKS_URL: 'https://example.org/keys',
    JWT_ISSUER: 'i',
    JWT_AUDIENCE: 'a',
  },
})

const onOff = (): Pick<Row, 'good' | 'bad' | 'allowed'> => ({
  good: [
    ['true', true],
    ['false', false],
  ],
  bad: ['yes', 'TRUE', '1', '0', 'on'],
  allowed: 'true or false',
})

/** Every setting as the README promises it. */
const TABLE: Readonly<Record<Name, Row>> = {
  configFile: {
    flag: '--config',
    env: 'CONFIG_FILE',
    otherwise: null,
    good: [
      ['comments.yaml', 'comments.yaml'],
      ['empty.json', 'empty.json'],
    ],
    bad: [],
    allowed: 'a file name',
    commands: ['serve', 'lms'],
  },
  upstream: {
    flag: '--upstream',
    env: 'LMS_URL',
    otherwise: null,
    good: [
      ['https://example.org/wp-json', 'https://example.org/wp-json'],
      ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
      ['https://example.org/sub/wp-json/', 'https://example.org/sub/wp-json'],
      ['https://example.org/?rest_route=', 'https://example.org/?rest_route='],
      ['https://example.org?rest_route=/', 'https://example.org/?rest_route='],
      ['https://example.org/sub/index.php?rest_route=%2F', 'https://example.org/sub/index.php?rest_route='],
    ],
    bad: [
      'example.org',
      'ftp://example.org',
      'https://',
      '/wp-json',
      'file:///etc/hosts',
      'http://example.org/?a=1',
      'http://me@example.org',
      'http://me@example.org/?rest_route=',
      'https://example.org/wp-json#top',
      'https://example.org/?rest_route=/lms/v1',
      'https://example.org/?rest_route=/&lang=de',
      'https://example.org/?lang=de&rest_route=/',
      'https://example.org/?rest_route=&rest_route=',
      'https://example.org/?REST_ROUTE=/',
    ],
    allowed: 'an http or https address without user and password, and with no query but `?rest_route=`',
    commands: ['serve'],
  },
  port: { flag: '--port', env: 'PORT', otherwise: 4000, ...wholeNumber(0, 65_535), commands: ['serve', 'lms'] },
  host: {
    flag: '--host',
    env: 'HOST',
    otherwise: '127.0.0.1',
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
      ['my-host.example', 'my-host.example'],
    ],
    bad: ['two words', 'http://example.org', 'a/b'],
    allowed: 'a host name or address',
    commands: ['serve', 'lms'],
  },
  maxInFlight: { flag: '--max-in-flight', env: 'MAX_IN_FLIGHT', otherwise: 4, ...wholeNumber(1, 1024), commands: ['serve'] },
  timeout: { flag: '--timeout', env: 'UPSTREAM_TIMEOUT', otherwise: 20_000, ...wholeNumber(1, 600_000), commands: ['serve'] },
  connectTimeout: {
    flag: '--connect-timeout',
    env: 'UPSTREAM_CONNECT_TIMEOUT',
    otherwise: 5_000,
    ...wholeNumber(1, 600_000),
    commands: ['serve'],
  },
  maxResponseBytes: {
    flag: '--max-response-bytes',
    env: 'MAX_RESPONSE_BYTES',
    otherwise: 20_000_000,
    ...wholeNumber(1_000, 1_000_000_000),
    commands: ['serve'],
  },
  shareReads: { flag: '--share-reads', env: 'SHARE_READS', otherwise: true, ...onOff(), commands: ['serve'] },
  compile: { flag: '--compile', env: 'COMPILE', otherwise: true, ...onOff(), commands: ['serve'] },
  shortPath: { flag: '--short-path', env: 'SHORT_PATH', otherwise: true, ...onOff(), commands: ['serve'] },
  maxRows: { flag: '--max-rows', env: 'MAX_ROWS', otherwise: 1_000, ...wholeNumber(1, 10_000), commands: ['serve'] },
  maxCalls: { flag: '--max-calls', env: 'MAX_CALLS', otherwise: 300, ...wholeNumber(1, 100_000), commands: ['serve'] },
  maxUnpaged: { flag: '--max-unpaged', env: 'MAX_UNPAGED', otherwise: 10, ...wholeNumber(1, 1_000), commands: ['serve'] },
  explainFor: {
    flag: '--explain-for',
    env: 'EXPLAIN_FOR',
    ...list(['keys', 'admins', 'callers', 'everybody'], ['admin', 'Keys', 'keys admins'], 'keys, admins, callers and everybody'),
  },
  metrics: { flag: '--metrics', env: 'METRICS', otherwise: false, ...onOff(), commands: ['serve'] },
  metricsOpen: { flag: '--metrics-open', env: 'METRICS_OPEN', otherwise: false, ...onOff(), commands: ['serve'] },
  subgraph: { flag: '--subgraph', env: 'SUBGRAPH', otherwise: false, ...onOff(), commands: ['serve', 'schema'] },
  semanticNullability: {
    flag: '--semantic-nullability',
    env: 'SEMANTIC_NULLABILITY',
    otherwise: false,
    ...onOff(),
    commands: ['schema'],
  },
  subgraphUserKey: {
    flag: '--subgraph-user-key',
    env: 'SUBGRAPH_USER_KEY',
    otherwise: 'id',
    good: [
      ['id', 'id'],
      ['lmsId:Int', 'lmsId:Int'],
      ['_key:String', '_key:String'],
    ],
    bad: ['1d', 'a b', '__id', 'id:Float', 'id:', ':ID'],
    allowed: 'the name of a field, and its type if that is not ID: `id`, `lmsId:Int` or `lmsId:String`',
    commands: ['serve', 'schema'],
  },
  data: {
    flag: '--data',
    env: 'LMS_DATA',
    otherwise: null,
    good: [['school.db', 'school.db']],
    bad: [],
    allowed: 'a file name',
    commands: ['serve', 'lms'],
  },
  scale: { flag: '--scale', env: 'LMS_SCALE', otherwise: null, ...wholeNumber(1, 100), commands: ['serve', 'lms'] },
  backup: {
    flag: '--backup',
    env: 'LMS_BACKUP',
    otherwise: null,
    good: [['copy.db', 'copy.db']],
    bad: [],
    allowed: 'a file name',
    commands: ['lms'],
  },
  profile: {
    flag: '--profile',
    env: 'LMS_PROFILE',
    otherwise: 'lms',
    good: [
      ['lms', 'lms'],
      ['learndash', 'learndash'],
      ['learndash-5', 'learndash-5'],
    ],
    bad: ['LearnDash', 'moodle', 'none'],
    allowed: 'one of lms, learndash, learndash-5',
    commands: ['serve', 'lms'],
  },
  switch: {
    flag: '--switch',
    env: 'LMS_SWITCHES',
    otherwise: [],
    good: [
      ['workers=2,bom', ['workers=2', 'bom']],
      ['none', []],
    ],
    // Each wrong one has a complaint of its own: see test/lms/profile-command.test.ts.
    bad: [],
    allowed: 'a list of switches like `workers=2`, separated by commas',
    commands: ['serve', 'lms'],
  },
  control: { flag: '--control', env: 'LMS_CONTROL', otherwise: false, ...onOff(), commands: ['serve', 'lms'] },
  preset: {
    flag: '--preset',
    env: 'LMS_PRESET',
    otherwise: 'lms',
    good: [
      ['lms', 'lms'],
      ['learndash', 'learndash'],
    ],
    bad: ['LearnDash', 'wordpress', 'toString', 'none'],
    allowed: 'lms or learndash',
    commands: ['serve'],
  },
  namespaceV1: namespace('v1'),
  namespaceV2: namespace('v2'),
  baseGroups: base('groups'),
  baseCourses: base('courses'),
  baseQuizzes: base('quizzes'),
  baseLessons: base('lessons'),
  baseQuestions: base('questions'),
  baseUsers: base('users'),
  baseProgress: base('progress'),
  basePriceTypes: base('price-types'),
  baseGroupCourses: base('group-courses'),
  termPrefix: {
    flag: '--term-prefix',
    env: 'TERM_PREFIX',
    otherwise: null,
    good: [
      ['ld_', 'ld_'],
      ['school-2_', 'school-2_'],
    ],
    bad: ['_', '2_', 'l d', 'ld&', 'ld,'],
    allowed: 'letters, digits, `_` and `-`, a letter first, such as lms_',
    commands: ['serve'],
  },
  fieldFilter: {
    flag: '--field-filter',
    env: 'FIELD_FILTER',
    otherwise: null,
    good: [
      ['_fields', '_fields'],
      ['none', 'none'],
    ],
    bad: ['a b', 'a=1', 'a&b', '1', '_fields,_filter'],
    allowed: 'the name of a query parameter, or `none`',
    commands: ['serve'],
  },
  pageCap: { flag: '--page-cap', env: 'PAGE_CAP', otherwise: null, ...wholeNumber(1, 1_000), commands: ['serve'] },
  pageSizeParams: {
    flag: '--page-size-params',
    env: 'PAGE_SIZE_PARAMS',
    ...list(['posts_per_page', 'number'], ['a b', 'a=1', '1'], 'names of query parameters'),
  },
  unbatched: {
    flag: '--unbatched',
    env: 'UNBATCHED',
    ...list(
      ['quizzes', 'groups', 'courses', 'lessons'],
      ['Quiz', 'questions', 'quiz', 'groups courses'],
      'groups, courses, lessons and quizzes',
    ),
  },
  questionQuiz: {
    flag: '--question-quiz',
    env: 'QUESTION_QUIZ',
    otherwise: null,
    good: [
      ['id', 'id'],
      ['engine', 'engine'],
    ],
    bad: ['ID', 'none', 'true'],
    allowed: 'id or engine',
    commands: ['serve'],
  },
  payNowSpelling: {
    flag: '--pay-now-spelling',
    env: 'PAY_NOW_SPELLING',
    otherwise: null,
    good: [
      ['paynow', 'paynow'],
      ['buynow', 'buynow'],
    ],
    bad: ['PayNow', 'none', 'true'],
    allowed: 'paynow or buynow',
    commands: ['serve'],
  },
  ignoredFilters: {
    flag: '--ignored-filters',
    env: 'IGNORED_FILTERS',
    ...list(
      ['v2/groups/:id/courses include', 'v1/groups exclude'],
      [
        'v2/groups/:id/courses',
        'include',
        'v3/groups include',
        '/v2/groups include',
        'v2/ include',
        'v2/groups include exclude',
        'v2/groups  include',
      ],
      'routes with a parameter each, such as v2/groups/:id/courses include',
    ),
  },
  droppedFilters: {
    flag: '--dropped-filters',
    env: 'DROPPED_FILTERS',
    ...list(
      ['v2/sfwd-lessons course', 'v1/sfwd-quiz course'],
      ['v2/sfwd-lessons', 'course', 'lms/v2/sfwd-lessons course'],
      'routes with a parameter each, such as v2/sfwd-lessons course',
    ),
  },
  unfilteredRoutes: {
    flag: '--unfiltered-routes',
    env: 'UNFILTERED_ROUTES',
    ...list(
      ['v2/price-types', 'v2/groups/:id/courses'],
      ['price-types', 'v2/price-types name', 'v2', 'v2/'],
      'routes, such as v2/price-types',
    ),
  },
  missingColumns: {
    flag: '--missing-columns',
    env: 'MISSING_COLUMNS',
    ...list(
      ['GroupCourse.materials', 'GroupCourse.pointsEnabled', 'Course.title'],
      ['GroupCourse', 'materials', 'groupCourse.materials', 'GroupCourse.', 'GroupCourse.a.b', 'GroupCourse.Materials'],
      'types with a column each, such as GroupCourse.materials',
    ),
  },
  lmsUser: {
    flag: '--lms-user',
    env: 'LMS_USER',
    otherwise: null,
    good: [
      ['admin', 'admin'],
      ['Ada von Admin@example.org', 'Ada von Admin@example.org'],
    ],
    bad: ['admin:s3cret', 'two\nlines'],
    allowed: 'a login without a colon',
    commands: ['serve'],
    beside: { LMS_PASSWORD: 'x', GATEWAY_OPEN: 'true' },
    hidden: true,
  },
  lmsPassword: {
    env: 'LMS_PASSWORD',
    otherwise: null,
    good: [['abcd efgh:ijkl', 'abcd efgh:ijkl']],
    bad: ['s3cret\n'],
    allowed: 'a text of one line',
    commands: ['serve'],
    beside: { LMS_USER: 'admin', GATEWAY_OPEN: 'true' },
    hidden: true,
  },
  lmsPasswordFile: {
    flag: '--lms-password-file',
    env: 'LMS_PASSWORD_FILE',
    otherwise: null,
    good: [['password.txt', 'password.txt']],
    bad: [],
    allowed: 'a file name',
    commands: ['serve'],
    beside: { LMS_USER: 'admin', GATEWAY_OPEN: 'true' },
    hidden: true,
  },
  apiKeys: {
    env: 'GATEWAY_API_KEYS',
    otherwise: [],
    good: [
      ['0123456789abcdef', ['0123456789abcdef']],
      [` ${KEYS.replace(',', ' ,\n')},`, KEYS.split(',')],
    ],
    bad: ['0123456789abcde', `${KEYS},short`, 'with a space in it', 'mit-Ümläuten-0123456789', ', ,'],
    allowed: 'a list of keys of at least 16 printable characters each, separated by commas or lines, without spaces',
    commands: ['serve'],
    hidden: true,
  },
  apiKeysFile: {
    flag: '--gateway-api-keys-file',
    env: 'GATEWAY_API_KEYS_FILE',
    otherwise: null,
    good: [['keys.txt', 'keys.txt']],
    bad: [],
    allowed: 'a file name',
    commands: ['serve'],
    hidden: true,
  },
  open: { flag: '--open', env: 'GATEWAY_OPEN', otherwise: false, ...onOff(), commands: ['serve'] },
  jwtJwksUrl: {
    flag: '--jwt-jwks-url',
    env: 'JWT_JWKS_URL',
    otherwise: null,
    good: [
      ['https://example.org/keys', 'https://example.org/keys'],
      ['https://example.org/keys?p=policy', 'https://example.org/keys?p=policy'],
    ],
    bad: ['example.org/keys', 'ftp://example.org', 'https://me:s3cret@example.org/keys'],
    allowed: 'an http or https address without user and password',
    commands: ['serve'],
    beside: { LMS_USER: 'admin', LMS_PASSWORD: 'x', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' },
  },
  jwtKey: {
    env: 'JWT_KEY',
    otherwise: null,
    good: [
      ['0123456789abcdef0123456789abcdef', '0123456789abcdef0123456789abcdef'],
      [RSA, RSA],
      [RSA.replaceAll('\n', '\\n'), RSA.replaceAll('\n', '\\n')],
      ...['P-256', 'P-384', 'P-521'].map((namedCurve) => publicPem('ec', { namedCurve })).map((pem) => [pem, pem] as const),
      ...[publicPem('ed25519')].map((pem) => [pem, pem] as const),
    ],
    bad: [
      '0123456789abcdef0123456789abcde',
      '-----BEGIN PUBLIC KEY-----\ns3cret0123456789012345678901234567890123456789\n-----END PUBLIC KEY-----\n',
      publicPem('rsa', { modulusLength: 1024 }),
      publicPem('ec', { namedCurve: 'secp256k1' }),
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      // Forms of a public key that would else be taken for a secret everybody knows.
      RSA.split('\n').slice(1, -2).join(''),
      RSA.split('\n').slice(1, -2).join('\n'),
      generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
      JSON.stringify(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })),
      `ssh-ed25519 ${'A'.repeat(60)} me@example.org`,
    ],
    allowed:
      'a public key in PEM (RSA of 2048 bits or more, EC P-256, P-384 or P-521, Ed25519), or a shared secret of at least 32 bytes for HS256',
    commands: ['serve'],
    beside: { LMS_USER: 'admin', LMS_PASSWORD: 'x', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' },
    hidden: true,
  },
  jwtKeyFile: {
    flag: '--jwt-key-file',
    env: 'JWT_KEY_FILE',
    otherwise: null,
    good: [['key.pem', 'key.pem']],
    bad: [],
    allowed: 'a file name',
    commands: ['serve'],
    beside: { LMS_USER: 'admin', LMS_PASSWORD: 'x', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' },
    hidden: true,
  },
  jwtIssuer: { flag: '--jwt-issuer', env: 'JWT_ISSUER', otherwise: null, ...ofTokens('https://example.org/', 'a text') },
  jwtAudience: { flag: '--jwt-audience', env: 'JWT_AUDIENCE', otherwise: null, ...ofTokens('lms', 'a text') },
  jwtWithoutExpiry: {
    flag: '--jwt-without-expiry',
    env: 'JWT_WITHOUT_EXPIRY',
    otherwise: false,
    ...onOff(),
    commands: ['serve'],
    beside: ofTokens('', '').beside as Record<string, string>,
  },
  jwtUserClaim: { flag: '--jwt-user-claim', env: 'JWT_USER_CLAIM', otherwise: 'sub', ...ofTokens('lms.user', CLAIM) },
  jwtAdminClaim: { flag: '--jwt-admin-claim', env: 'JWT_ADMIN_CLAIM', otherwise: 'roles', ...ofTokens('realm.roles', CLAIM) },
  jwtAdminValue: { flag: '--jwt-admin-value', env: 'JWT_ADMIN_VALUE', otherwise: 'admin', ...ofTokens('lms-admin', 'a text') },
  forwardCookie: { flag: '--forward-cookie', env: 'FORWARD_COOKIE', otherwise: false, ...onOff(), commands: ['serve'] },
  maxQueue: number('max-queue', 'MAX_QUEUE', 10_000, 0, 100_000),
  maxQueuePerCaller: number('max-queue-per-caller', 'MAX_QUEUE_PER_CALLER', 5_000, 0, 100_000),
  queueTimeout: number('queue-timeout', 'QUEUE_TIMEOUT', 10_000, 1, 600_000),
  operationTimeout: number('operation-timeout', 'OPERATION_TIMEOUT', 30_000, 1, 600_000),
  retries: number('retries', 'UPSTREAM_RETRIES', 2, 0, 10),
  maxRetryDelay: number('max-retry-delay', 'MAX_RETRY_DELAY', 5_000, 0, 60_000),
  retryBudget: number('retry-budget', 'RETRY_BUDGET', 10, 0, 100),
  breakerThreshold: number('breaker-threshold', 'BREAKER_THRESHOLD', 50, 1, 100),
  breakerCalls: number('breaker-calls', 'BREAKER_CALLS', 20, 1, 1_000),
  breakerCooldown: number('breaker-cooldown', 'BREAKER_COOLDOWN', 500, 1, 600_000),
  staleIfError: number('stale-if-error', 'STALE_IF_ERROR', 0, 0, 604_800),
  staleEntries: number('stale-entries', 'STALE_ENTRIES', 1_000, 1, 100_000),
  staleBytes: number('stale-bytes', 'STALE_BYTES', 10_000_000, 1_000, 1_000_000_000),
  graphiql: { flag: '--graphiql', env: 'GRAPHIQL', otherwise: null, ...onOff(), commands: ['serve'] },
  introspection: { flag: '--introspection', env: 'INTROSPECTION', otherwise: null, ...onOff(), commands: ['serve'] },
  suggestions: { flag: '--suggestions', env: 'SUGGESTIONS', otherwise: null, ...onOff(), commands: ['serve'] },
  corsOrigins: {
    flag: '--cors-origins',
    env: 'CORS_ORIGINS',
    otherwise: [],
    good: [
      ['https://app.example.org', ['https://app.example.org']],
      ['http://localhost:3000, https://app.example.org', ['http://localhost:3000', 'https://app.example.org']],
      ['*', ['*']],
      ['none', []],
    ],
    bad: [
      'app.example.org',
      'https://app.example.org/',
      'https://app.example.org:443',
      'https://APP.example.org',
      'https://*.example.org',
      'null',
      'https://a.example.org,,https://b.example.org',
      'file:///etc',
    ],
    allowed: 'a list of origins such as https://app.example.org, separated by commas, `*` for all of them, or `none`',
    commands: ['serve'],
  },
  trustedProxies: {
    flag: '--trusted-proxies',
    env: 'TRUSTED_PROXIES',
    otherwise: [],
    good: [
      ['10.0.0.1', ['10.0.0.1']],
      ['10.0.0.0/8, 2001:db8::/32', ['10.0.0.0/8', '2001:db8::/32']],
      ['none', []],
    ],
    bad: ['proxy.example.org', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0.1,,10.0.0.2', '10.0.0.0/8/8', '*'],
    allowed: 'a list of addresses and networks such as 10.0.0.0/8, separated by commas, or `none`',
    commands: ['serve'],
  },
  trustedDocuments: {
    flag: '--trusted-documents',
    env: 'TRUSTED_DOCUMENTS',
    otherwise: null,
    good: [['trusted.json', 'trusted.json']],
    bad: [],
    allowed: 'a file name',
    commands: ['serve'],
  },
  onlyTrusted: {
    flag: '--only-trusted',
    env: 'ONLY_TRUSTED',
    otherwise: false,
    ...onOff(),
    commands: ['serve'],
    beside: { TRUSTED_DOCUMENTS: 'trusted.json' },
  },
  persistedQueries: { flag: '--persisted-queries', env: 'PERSISTED_QUERIES', otherwise: true, ...onOff(), commands: ['serve'] },
  maxBodyBytes: number('max-body-bytes', 'MAX_BODY_BYTES', 100_000, 1_000, 100_000_000),
  maxTokens: number('max-tokens', 'MAX_TOKENS', 10_000, 10, 1_000_000),
  maxNesting: number('max-nesting', 'MAX_NESTING', 100, 10, 1_000),
  maxDepth: number('max-depth', 'MAX_DEPTH', 20, 1, 100),
  maxRootFields: number('max-root-fields', 'MAX_ROOT_FIELDS', 50, 1, 10_000),
  maxAliases: number('max-aliases', 'MAX_ALIASES', 2_000, 0, 100_000),
  maxFragments: number('max-fragments', 'MAX_FRAGMENTS', 100, 0, 10_000),
  maxSelections: number('max-selections', 'MAX_SELECTIONS', 5_000, 1, 100_000),
  maxRepeats: number('max-repeats', 'MAX_REPEATS', 100, 1, 10_000),
  maxDirectives: number('max-directives', 'MAX_DIRECTIVES', 200, 0, 10_000),
  maxListItems: number('max-list-items', 'MAX_LIST_ITEMS', 1_000, 1, 100_000),
  maxVariableValues: number('max-variable-values', 'MAX_VARIABLE_VALUES', 5_000, 1, 100_000),
  maxIntrospection: number('max-introspection', 'MAX_INTROSPECTION', 4, 1, 1_000),
  maxErrors: number('max-errors', 'MAX_ERRORS', 100, 1, 10_000),
  maxAnswerSize: number('max-answer-size', 'MAX_ANSWER_SIZE', 10_000_000, 1_000, 200_000_000),
  headersTimeout: number('headers-timeout', 'HEADERS_TIMEOUT', 10_000, 100, 3_600_000),
  requestTimeout: number('request-timeout', 'REQUEST_TIMEOUT', 20_000, 100, 3_600_000),
  idleTimeout: number('idle-timeout', 'IDLE_TIMEOUT', 120_000, 100, 3_600_000),
  memoryBudget: { ...number('memory-budget', 'MEMORY_BUDGET', 1_000_000, 1_000_000, 1_000_000_000_000), otherwise: null },
  writeTimeout: number('write-timeout', 'WRITE_TIMEOUT', 20_000, 100, 3_600_000),
  maxConnections: number('max-connections', 'MAX_CONNECTIONS', 10_000, 1, 1_000_000),
  logLevel: {
    flag: '--log-level',
    env: 'LOG_LEVEL',
    otherwise: 'info',
    good: ['silent', 'error', 'warn', 'info', 'debug'].map((level) => [level, level]),
    bad: ['INFO', 'trace', 'fatal', '30'],
    allowed: 'one of silent, error, warn, info, debug',
    commands: ['serve'],
  },
  logFormat: {
    flag: '--log-format',
    env: 'LOG_FORMAT',
    otherwise: null,
    good: [
      ['json', 'json'],
      ['pretty', 'pretty'],
    ],
    bad: ['JSON', 'text'],
    allowed: 'json or pretty',
    commands: ['serve'],
  },
  logVariables: { flag: '--log-variables', env: 'LOG_VARIABLES', otherwise: false, ...onOff(), commands: ['serve'] },
  workers: {
    flag: '--workers',
    env: 'WORKERS',
    otherwise: 1,
    good: [
      ['1', 1],
      ['4', 4],
      ['auto', 'auto'],
    ],
    bad: ['0', '1025', '-1', 'Auto', 'all', '1.5'],
    allowed: 'a whole number from 1 to 1024, or auto',
    commands: ['serve'],
  },
  drainTimeout: number('drain-timeout', 'DRAIN_TIMEOUT', 10_000, 0, 3_600_000),
}

const rows = Object.entries(TABLE) as [Name, Row][]
/** The command a setting is read for. */
const commandOf = ({ commands }: Pick<Row, 'commands'>): string[] => (commands.includes('serve') ? [] : commands.slice(0, 1))
const flagged = rows.flatMap(([name, { flag, ...row }]) => (flag === undefined ? [] : [[name, { ...row, flag }] as const]))

describe('readConfig', () => {
  it('knows exactly these settings', () => {
    expect(Object.keys(SETTINGS).sort()).toEqual(Object.keys(TABLE).sort())
    expect(configOf([])).toEqual({ command: 'serve', ...Object.fromEntries(rows.map(([name, { otherwise }]) => [name, otherwise])) })
  })

  it.each(rows)('%s comes from its variable', (name, { env, good, beside, commands }) => {
    for (const [text, value] of good) expect(bare(configOf(commandOf({ commands }), { ...beside, [env]: text })[name])).toEqual(value)
  })

  it.each(flagged)('%s comes from its flag too, and the flag wins', (name, { flag, env, good, beside, commands }) => {
    const command = commandOf({ commands })
    for (const [text, value] of good) {
      if ('value' in SETTINGS[name]) expect(configOf([...command, flag, text], beside)[name]).toEqual(value)
      expect(configOf([...command, `${flag}=${text}`], beside)[name]).toEqual(value)
    }
    const [given, wanted] = good.at(-1)!
    expect(configOf([...command, `${flag}=${given}`], { ...beside, [env]: good[0]![0] })[name]).toEqual(wanted)
    expect(configOf([...command, `${flag}=${given}`], { ...beside, [env]: 'not looked at: ?' })[name]).toEqual(wanted)
  })

  it.each(rows)('%s takes an empty variable for none', (name, { env, otherwise }) => {
    expect(configOf([], { [env]: '' })[name]).toEqual(otherwise)
  })

  it.each(flagged)('%s takes an empty flag for wrong', (_, { flag, allowed, hidden, beside, commands }) => {
    expect(complaintsOf([...commandOf({ commands }), `${flag}=`], beside)).toEqual([
      `\`${flag}\` ${hidden ? 'is wrong;' : 'is ``;'} it must be ${allowed}.`,
    ])
  })

  it.each(rows)(
    '%s refuses bad values, naming flag or variable and what is allowed',
    (_, { flag, env, bad, allowed, hidden, beside, commands }) => {
      const command = commandOf({ commands })
      for (const value of bad) {
        const cases = [[complaintsOf(command, { ...beside, [env]: value }), env] as const]
        if (flag !== undefined) cases.push([complaintsOf([...command, `${flag}=${value}`], beside), flag])
        for (const [complaints, name] of cases) {
          expect(complaints).toHaveLength(1)
          expect(complaints[0]).toMatch(new RegExp(`^\`${name}\` is `))
          expect(complaints[0]).toContain(` it must be ${allowed}.`)
          if (hidden) expect(complaints[0]).not.toContain(value)
          else if (!value.includes('@') && !value.includes('?')) expect(complaints[0]).toContain(`\`${value}\``)
        }
      }
    },
  )

  it.each(flagged)('%s says when its flag has no value, or is a switch', (name, { flag, allowed, beside, commands }) => {
    const command = commandOf({ commands })
    if ('value' in SETTINGS[name])
      expect(complaintsOf([...command, flag], beside)).toEqual([`\`${flag}\` is without a value; it must be ${allowed}.`])
    else expect(configOf([...command, flag], beside)[name]).toBe(true)
  })

  it.each(flagged)('%s goes with its own commands only', (_, { flag, good, commands, beside }) => {
    for (const command of ['serve', 'lms', 'schema']) {
      const result = readConfig([command, `${flag}=${good[0]![0]}`], { ...beside }, readFile)
      if (commands.includes(command)) expect(result.kind).toBe('config')
      else expect(result).toEqual({ kind: 'complaints', complaints: [`\`${flag}\` does not go with \`${command}\`.`] })
    }
  })

  it('does not look at the variables of other commands', () => {
    expect(
      configOf(['lms'], { LMS_USER: 'admin', LMS_PASSWORD_FILE: 'missing', JWT_KEY: 'short', GATEWAY_API_KEYS: 'short' }).lmsUser,
    ).toBe(null)
  })

  it('prints the graph for routers, or for clients that handle errors', () => {
    expect(complaintsOf(['schema', '--semantic-nullability'], { SUBGRAPH: 'true' })).toEqual([
      '`--semantic-nullability` does not go with `SUBGRAPH`: routers take no such directive; drop one of them.',
    ])
  })

  it('says everything that is wrong at once', () => {
    const argv = ['--port', 'x', '--max-rows=0', '--wrong', '-q', 'serve', 'again', '--timeout']
    const complaints = complaintsOf(argv, { MAX_IN_FLIGHT: '9999', HOST: 'a b' })
    const about = complaints.map((complaint) => /`([^`]*)`/.exec(complaint)?.[1])
    expect(about.sort()).toEqual(['--max-rows', '--port', '--timeout', '--wrong', '-q', 'HOST', 'MAX_IN_FLIGHT', 'again'].sort())
  })

  it.each(['--frobnicate', '--toString', '--constructor', '--__proto__', '-x', '--Port', '--no-port'])(
    'refuses the unknown flag %s',
    (flag) => {
      expect(complaintsOf([flag])).toEqual([`\`${flag}\` is no flag; \`--help\` lists them.`])
    },
  )

  it('refuses unknown commands and words too many', () => {
    expect(complaintsOf(['start'])).toEqual([`\`start\` is no command; there are ${COMMANDS.join(', ')}.`])
    expect(complaintsOf(['serve', 'lms', 'schema'])).toHaveLength(2)
  })

  it('takes a following flag for a missing value, not for the value', () => {
    expect(complaintsOf(['--port', '--host']).join()).toContain('`--port` is ')
  })

  it('never echoes what may be a secret', () => {
    const cases: [string[], Env][] = [
      [['--upstream', 'https://admin:s3cret@example.org/wp-json'], {}],
      [['--upstream', 'https://example.org/wp-json?token=s3cret'], {}],
      [['--upstream', 'ftp://admin:s3cret@example.org'], {}],
      [['--upstream', 'admin:s3cret@example.org'], {}],
      [[], { LMS_URL: 'https://admin:s3cret@example.org/wp-json' }],
      [['--password', 's3cret'], {}],
      [['--token=s3cret'], {}],
      [['--lms-password', 's3cret'], {}],
      [['--lms-password=s3cret'], {}],
      [['--lms-user', 'admin:s3cret'], {}],
      [[], { LMS_USER: 'admin:s3cret' }],
      [[], { LMS_PASSWORD: 's3cret' }],
      [[], { LMS_PASSWORD: 's3cret\n', LMS_USER: 'admin' }],
      // The secret where its file should be.
      [[], { LMS_PASSWORD_FILE: 's3cret' }],
      [['--jwt-key-file', 's3cret'], {}],
      [[], { LMS_PASSWORD_FILE: 'lines.txt' }],
      [[], { GATEWAY_API_KEYS: 's3cret' }],
      [[], { GATEWAY_API_KEYS_FILE: 'short.txt' }],
      [[], { JWT_KEY: 's3cret' }],
      [[], { JWT_KEY_FILE: 'short.txt' }],
      [[], { JWT_JWKS_URL: 'https://me:s3cret@example.org/keys' }],
      [['--upstream', 'https://example.org/?rest_route=/s3cret'], {}],
    ]
    for (const [argv, env] of cases) expect(complaintsOf(argv, env).join('\n')).not.toContain('s3cret')
  })

  it('listens on 4001 for the LMS alone unless told otherwise', () => {
    expect(configOf(['lms']).port).toBe(4001)
    expect(configOf(['lms', '--port', '0']).port).toBe(0)
    expect(configOf(['lms'], { PORT: '' }).port).toBe(4001)
    expect(configOf(['lms'], { PORT: '5000' }).port).toBe(5000)
  })

  it('is frozen', () => {
    const config = configOf([])
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('lets --help and --version go before everything', () => {
    for (const flag of ['--help', '-h']) expect(readConfig(['serve', flag, '--port', 'x'], {})).toEqual({ kind: 'help' })
    for (const flag of ['--version', '-v']) expect(readConfig([flag, '--wrong'], {})).toEqual({ kind: 'version' })
  })
})

const ACCOUNT = { LMS_USER: 'admin', LMS_PASSWORD: 's3cret' }
const CHECK = { JWT_JWKS_URL: 'https://example.org/keys', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }

describe('secrets in files', () => {
  it('are what the file holds, without the line break at its end', () => {
    expect(bare(configOf([], { LMS_USER: 'admin', LMS_PASSWORD_FILE: 'password.txt', GATEWAY_OPEN: 'true' }).lmsPassword)).toBe(
      'abcd efgh ijkl',
    )
    expect(bare(configOf(['--gateway-api-keys-file', 'keys.txt']).apiKeys)).toEqual(KEYS.split(','))
    expect(bare(configOf(['--jwt-key-file', 'key.pem'], { ...ACCOUNT, JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }).jwtKey)).toBe(RSA.trimEnd())
  })

  it.each([
    ['missing.txt', 'The file that `LMS_PASSWORD_FILE` names cannot be read (ENOENT).'],
    ['empty.txt', 'The file that `LMS_PASSWORD_FILE` names is empty.'],
    ['lines.txt', 'The file that `LMS_PASSWORD_FILE` names does not hold what it should: a text of one line.'],
  ])('are complained about without name or content: %s', (path, complaint) => {
    expect(complaintsOf([], { LMS_USER: 'admin', LMS_PASSWORD_FILE: path, GATEWAY_OPEN: 'true' })).toEqual([complaint])
  })

  it('are read from real files', () => {
    expect(readConfig([], { GATEWAY_API_KEYS_FILE: '/no/such/file' })).toEqual({
      kind: 'complaints',
      complaints: ['The file that `GATEWAY_API_KEYS_FILE` names cannot be read (ENOENT).'],
    })
  })
})

describe('settings that do not go together', () => {
  const DOORS = /`GATEWAY_API_KEYS`.*`JWT_JWKS_URL`.*`GATEWAY_OPEN=true`/

  it.each<[string, Env, (string | RegExp)[]]>([
    ['a user alone', { LMS_USER: 'admin', GATEWAY_OPEN: 'true' }, [/^`LMS_USER` needs .*`LMS_PASSWORD` or `LMS_PASSWORD_FILE`/]],
    ['a password alone', { LMS_PASSWORD: 's3cret', GATEWAY_OPEN: 'true' }, [/^`LMS_PASSWORD` is of no use without `LMS_USER`.*or drop/]],
    ['a password file alone', { LMS_PASSWORD_FILE: 'password.txt', GATEWAY_OPEN: 'true' }, [/^`LMS_PASSWORD_FILE` is of no use/]],
    ['an account without a door', ACCOUNT, [DOORS]],
    ['an account with a closed door', { ...ACCOUNT, GATEWAY_OPEN: 'false' }, [DOORS]],
    ['a user without password and door', { LMS_USER: 'admin' }, [/^`LMS_USER` needs/, DOORS]],
    ['tokens without an account', CHECK, [/^`JWT_JWKS_URL` is of no use without `LMS_USER`.*`Authorization` is for the site/]],
    ['a claim without an account', { JWT_USER_CLAIM: 'uid' }, [/^`JWT_USER_CLAIM` is of no use/]],
    ['tokens without issuer', { ...ACCOUNT, ...CHECK, JWT_ISSUER: '' }, [/set `JWT_ISSUER` too/]],
    ['tokens without audience', { ...ACCOUNT, ...CHECK, JWT_AUDIENCE: '' }, [/set `JWT_AUDIENCE` too/]],
    ['tokens without a key', { ...ACCOUNT, ...CHECK, JWT_JWKS_URL: '' }, [/set `JWT_JWKS_URL`, `JWT_KEY` or `JWT_KEY_FILE` too/]],
    ['a claim alone', { ...ACCOUNT, GATEWAY_OPEN: 'true', JWT_ADMIN_CLAIM: 'x' }, [/`JWT_KEY_FILE` and `JWT_ISSUER` and `JWT_AUDIENCE`/]],
    ['nothing to trust', { ONLY_TRUSTED: 'true' }, [/^`ONLY_TRUSTED` is of no use without `TRUSTED_DOCUMENTS`.*drop `ONLY_TRUSTED`/]],
    ['two keys', { ...ACCOUNT, ...CHECK, JWT_KEY_FILE: 'key.pem' }, ['`JWT_JWKS_URL` and `JWT_KEY_FILE` are both set; drop one of them.']],
    [
      'a secret and its file',
      { ...ACCOUNT, GATEWAY_OPEN: 'true', LMS_PASSWORD_FILE: 'password.txt' },
      ['`LMS_PASSWORD_FILE` and `LMS_PASSWORD` are both set; drop `LMS_PASSWORD`.'],
    ],
    [
      'cookies with an account',
      { ...ACCOUNT, GATEWAY_OPEN: 'true', FORWARD_COOKIE: 'true' },
      [/`FORWARD_COOKIE` does not go with .*drop `FORWARD_COOKIE`/],
    ],
  ])('are all named: %s', (_, env, wanted) => {
    const complaints = complaintsOf([], env)
    expect(complaints).toHaveLength(wanted.length)
    wanted.forEach((each, index) => {
      expect(complaints[index]).toMatch(each)
    })
  })

  it.each<[string, Env]>([
    ['an account with API keys', { ...ACCOUNT, GATEWAY_API_KEYS: KEYS }],
    ['an account with a file of them', { ...ACCOUNT, GATEWAY_API_KEYS_FILE: 'keys.txt' }],
    ['an account with tokens', { ...ACCOUNT, ...CHECK }],
    ['an account for everybody', { ...ACCOUNT, GATEWAY_OPEN: 'true' }],
    ['an account with all doors', { ...ACCOUNT, ...CHECK, GATEWAY_API_KEYS: KEYS, GATEWAY_OPEN: 'true' }],
    ['API keys alone', { GATEWAY_API_KEYS: KEYS }],
    ['cookies alone', { FORWARD_COOKIE: 'true' }],
    ['cookies switched off', { ...ACCOUNT, GATEWAY_OPEN: 'true', FORWARD_COOKIE: 'false' }],
  ])('are not found where they do: %s', (_, env) => {
    expect(readConfig([], env, readFile).kind).toBe('config')
  })

  it('are named by their flags where those were used', () => {
    expect(complaintsOf(['--lms-user', 'admin', '--open', '--forward-cookie'])).toEqual([
      expect.stringMatching(/^`--lms-user` needs/),
      expect.stringMatching(/^`--forward-cookie` does not go with `--lms-user`/),
    ])
  })

  it('tells where a secret belongs that is no flag', () => {
    expect(complaintsOf(['--lms-password', 's3cret'])).toEqual([
      '`--lms-password` is no flag; command lines show in lists of processes. Set `LMS_PASSWORD`, or `--lms-password-file`.',
    ])
    expect(complaintsOf(['--gateway-api-keys=s3cret']).join()).toContain('Set `GATEWAY_API_KEYS`, or `--gateway-api-keys-file`.')
  })
})

describe('a configuration', () => {
  it('can be printed without its secrets', () => {
    const config = configOf([], {
      ...ACCOUNT,
      JWT_KEY: 's3cret-0123456789-0123456789-0123456789',
      JWT_ISSUER: 'i',
      JWT_AUDIENCE: 'a',
      GATEWAY_API_KEYS: 's3cret-0123456789',
    })
    const printed = [JSON.stringify(config), inspect(config, { depth: 9, showHidden: true }), `${config.lmsPassword}${config.apiKeys}`]
    for (const text of printed) {
      expect(text).toContain('[secret]')
      expect(text).not.toContain('s3cret')
    }
    expect(Object.keys(config.lmsPassword as Secret)).toEqual([])
    expect(bare([config.lmsPassword, ...config.apiKeys])).toEqual(['s3cret', 's3cret-0123456789'])
  })
})

describe('helpText', () => {
  it('tells of every setting: flag, variable and default', () => {
    for (const { flag, env, otherwise } of settings) {
      const line = helpText()
        .split('\n')
        .find((each) => each.trimStart().startsWith(flag === undefined ? `${env} ` : `--${flag} `))
      expect(line).toContain(`${flag === undefined ? 'environment only' : env}; default: ${otherwise}`)
    }
  })
})
