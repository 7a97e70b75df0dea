import { generateKeyPairSync } from 'node:crypto'
import type { SETTINGS } from '../../src/settings/settings.js'

export type Env = Record<string, string | undefined>
type Name = keyof typeof SETTINGS

const publicPem = (type: 'rsa' | 'ec' | 'ed25519', options: object = {}): string =>
  generateKeyPairSync(type as 'rsa', options as { modulusLength: number }).publicKey.export({ type: 'spki', format: 'pem' }) as string

export const RSA = publicPem('rsa', { modulusLength: 2048 })
export const KEYS = 'first-key-0123456789,second-key-0123456789'

export interface Row {
  /** Secrets have no flag. */
  readonly flag?: string
  readonly env: string
  readonly otherwise: unknown
  /** Accepted texts, with their values. */
  readonly good: readonly (readonly [string, unknown])[]
  readonly bad: readonly string[]
  /** Part of every error about it. */
  readonly allowed: string
  readonly commands: readonly string[]
  /** Variables that it needs. */
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

const CLAIM = 'the name of a claim, with dots for nested claims'

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

/** Every setting as users know it. */
export const TABLE: Readonly<Record<Name, Row>> = {
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
    allowed: 'an http or https address without user and password, and without a query other than `?rest_route=`',
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
  explainOthersFor: {
    flag: '--explain-others-for',
    env: 'EXPLAIN_OTHERS_FOR',
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
  url: {
    flag: '--url',
    env: 'SUBGRAPH_URL',
    otherwise: null,
    good: [
      ['https://example.org/graphql', 'https://example.org/graphql'],
      ['http://127.0.0.1:4000/api/lms?site=1', 'http://127.0.0.1:4000/api/lms?site=1'],
      ['http://example.org', 'http://example.org/'],
      ['http://example.org/"', 'http://example.org/%22'],
    ],
    bad: ['example.org/graphql', 'ftp://example.org', 'http://', 'http://me:secret@example.org/graphql'],
    allowed: 'an http or https address without user and password',
    commands: ['supergraph'],
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
    allowed: 'the name of a field, and its type if it is not ID: `id`, `lmsId:Int` or `lmsId:String`',
    commands: ['serve', 'schema', 'supergraph'],
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
  viewerRoute: { flag: '--viewer-route', env: 'VIEWER_ROUTE', otherwise: null, ...onOff(), commands: ['serve'] },
  timeZone: {
    flag: '--time-zone',
    env: 'TIME_ZONE',
    otherwise: null,
    good: ['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', '+02:00', '-03:30', '+14:00'].map((name) => [name, name]),
    bad: ['Berlin', 'Europe/Bonn', 'none', '2', '+02', '+0200', '02:00', '+15:00', '+02:60', '+2:00', 'Europe/Berlin '],
    allowed: 'the name of a time zone, such as Europe/Berlin, or an offset, such as +02:00',
    commands: ['serve'],
  },
  progressSteps: { flag: '--progress-steps', env: 'PROGRESS_STEPS', otherwise: null, ...onOff(), commands: ['serve'] },
  openProgression: {
    flag: '--open-progression',
    env: 'OPEN_PROGRESSION',
    otherwise: null,
    good: ['enforced', 'ignored', 'unknown'].map((word) => [word, word]),
    bad: ['Enforced', 'none', 'true', 'required'],
    allowed: 'enforced, ignored or unknown',
    commands: ['serve'],
  },
  missingPrerequisites: {
    flag: '--missing-prerequisites',
    env: 'MISSING_PREREQUISITES',
    otherwise: null,
    good: ['ignored', 'required', 'unknown'].map((word) => [word, word]),
    bad: ['Ignored', 'none', 'true', 'enforced'],
    allowed: 'ignored, required or unknown',
    commands: ['serve'],
  },
  bypassingUsers: {
    flag: '--bypassing-users',
    env: 'BYPASSING_USERS',
    ...list(['1', '2', '123456789012345'], ['admin', '0', '-1', '1.5', '01', '1234567890123456', '1 2'], 'ids of users'),
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
  gatewayApiKeys: {
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
  gatewayApiKeysFile: {
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
      // Forms of a public key that must not be accepted as a shared secret, since the key is public.
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

export const rows = Object.entries(TABLE) as [Name, Row][]
/** The command that reads a setting. */
export const commandOf = ({ commands }: Pick<Row, 'commands'>): string[] => (commands.includes('serve') ? [] : commands.slice(0, 1))
export const flagged = rows.flatMap(([name, { flag, ...row }]) => (flag === undefined ? [] : [[name, { ...row, flag }] as const]))
