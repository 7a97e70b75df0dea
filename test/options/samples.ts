import { generateKeyPairSync } from 'node:crypto'
import { parsedText } from '../../src/options/option.js'
import { ARGUMENT_ENTRIES, ENTRIES, type Entry, entryAt, type Options } from '../../src/options/table.js'

const publicPem = (type: 'rsa' | 'ec' | 'ed25519', options: object = {}): string =>
  generateKeyPairSync(type as 'rsa', options as { modulusLength: number })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()
    .trimEnd()

/** A certificate of nobody, and its key. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkzCCATmgAwIBAgIUOOyut/2SPjo1qoTp2yvaXxVNF6wwCgYIKoZIzj0EAwIw
HjEcMBoGA1UEAwwTZ2F0ZXdheS5leGFtcGxlLm9yZzAgFw0yNjExMjcwMjA2MjFa
GA8yMTI2MTEwMzAyMDYyMVowHjEcMBoGA1UEAwwTZ2F0ZXdheS5leGFtcGxlLm9y
ZzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOgyd6u/nXSe7znEaPJqTMHGqT1t
m4eVd2Iu6SjEOYEbsfGCWCEm7NDxhG7q3qJeUbtyMlEZ2sbcScRTXv0uREGjUzBR
MB0GA1UdDgQWBBQ1RUKBXaZ5h+NFqHeFy5Jbsk/xgTAfBgNVHSMEGDAWgBQ1RUKB
XaZ5h+NFqHeFy5Jbsk/xgTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gA
MEUCIQCBCQPWHooOgiLrqB2mpWcZW6a/e+tRpFJZJUgOyuON5QIgd5fdRPP26j0A
RMB3MjVG32Y9Nqgk6eHtsAf779Uvvys=
-----END CERTIFICATE-----`
export const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0pC3p1eKSqcO/nkZ
NW9TPH5+W8MxokOpa3eWwCmyfoChRANCAAToMnerv510nu85xGjyakzBxqk9bZuH
lXdiLukoxDmBG7HxglghJuzQ8YRu6t6iXlG7cjJRGdrG3EnEU179LkRB
-----END PRIVATE KEY-----`

export const SECRET = 'new-secret-0123456789-0123456789'
export const OLD_SECRET = 'old-secret-0123456789-0123456789'
const FORWARD_SECRET = 'forward-secret-0123456789-0123456789'
export const KEYS = ['first-key-0123456789', 'second-key-0123456789']

/** A value as programs and settings files give it, its text in flags and variables, and what is read when that is another value. */
interface Sample {
  readonly value: unknown
  readonly text: string
  readonly read: unknown
}

const textOf = (value: unknown): string => {
  if (value === null) return 'none'
  if (typeof value !== 'object') return String(value)
  const items = Array.isArray(value) ? value : Object.entries(value).map((pair) => pair.join('='))
  return items.join(',') || 'none'
}

const sample = (value: unknown, read = value): Sample => ({ value, text: textOf(value), read })

/** Good values, and wrong texts. */
type Row = readonly [good: readonly unknown[], wrong: readonly string[]]

const SIGNING: Row = [
  [[SECRET], [SECRET, OLD_SECRET]],
  ['short', SECRET.slice(0, 31), `${SECRET}\t${SECRET}`, `${SECRET},short`, `${SECRET},${OLD_SECRET},${SECRET}`],
]
const AGES: Row = [
  [60, 0, { Course: 300, PriceType: 3_600 }],
  ['Course=x', '1.5', 'Course', '-1', 'Course=300,', '100000000'],
]
const FILTERS: Row = [
  [['v2/groups/:id/courses include', 'v1/groups exclude'], []],
  ['v3/groups include', 'groups include', 'v1/groups'],
]
const COLUMNS: Row = [
  [['GroupCourse.materials', 'Question.quizId'], []],
  ['materials', 'course.title', 'Course.title,'],
]
const PROXY: Row = [
  ['http://proxy.example.org:3128', 'https://user:p%40ss@proxy:8443', 'proxy.example.org:3128', '10.0.0.1'],
  ['socks5://proxy:1080', 'http://proxy/path', 'http://a:%zz@proxy', 'http://proxy#x', 'two words'],
]
const CERTIFICATES: Row = [
  [CERTIFICATE, `${CERTIFICATE}\n${CERTIFICATE}`],
  ['ca.pem', CERTIFICATE.replace('MII', 'MIX'), CERTIFICATE_KEY],
]
const FILE: Row = [['x.txt', 'a folder/x #1.txt'], []]

/** Options whose values do not follow from their entries. */
const ROWS: Readonly<Record<string, Row>> = {
  'site.url': [
    ['https://example.org/wp-json', 'http://127.0.0.1:4001'],
    ['example.org', 'ftp://example.org', 'https://me:pass@example.org', 'https://example.org/?x=1', 'https://example.org/#x'],
  ],
  'site.user': [
    ['gateway', 'Ada #1 @example.org', '42'],
    ['a:b', 'a\nb'],
  ],
  'site.password': [['0123 "4567" \'89\\n\': {x} # é'], ['a\nb', 'a\tb']],
  'site.editorUser': [['content-desk', 'Ada #1 @example.org'], ['a:b']],
  'site.editorPassword': [['0123 4567'], ['a\nb']],
  'site.namespaces': [
    [{ v1: 'a/v1' }, { v1: '2024', v2: 'true' }, {}],
    ['v3=x', 'v1=/x', 'v1', 'v1=lms/../v1', 'v1=x,'],
  ],
  'site.segments': [
    [{ 'sfwd-courses': 'courses', groups: 'übungen' }, {}],
    ['course=x', 'groups=a/b', 'groups=..', 'groups=a b', 'groups'],
  ],
  'site.termPrefix': [['ld_'], ['1x', 'a b']],
  'site.fieldFilter': [
    ['_fields', null],
    ['a b', 'a=b'],
  ],
  'site.pageSizeParams': [
    [['posts_per_page', 'size'], []],
    ['a b', 'a,,b', 'a,', 'none,a'],
  ],
  'site.unbatched': [
    [['Quiz', 'Course'], []],
    ['quiz', 'Quiz,none'],
  ],
  'site.timeZone': [
    ['Europe/Berlin', '+02:00', null],
    ['Europe/Nowhere', '+2', '+25:00'],
  ],
  'site.bypassingUsers': [
    [[1, 2], []],
    ['0', 'a', '1,,2'],
  ],
  'site.ignoredFilters': FILTERS,
  'site.droppedFilters': FILTERS,
  'site.unfilteredRoutes': [[['v2/price-types'], []], ['price-types']],
  'site.missingColumns': COLUMNS,
  'site.unusableColumns': COLUMNS,
  'network.httpsProxy': PROXY,
  'network.httpProxy': PROXY,
  'network.noProxy': [[['example.org', '.local:8080', '*', ''], []], [',']],
  'network.ca': CERTIFICATES,
  'network.clientCert': CERTIFICATES,
  'network.clientKey': [
    [CERTIFICATE_KEY],
    [CERTIFICATE, 'key.pem', CERTIFICATE_KEY.replace('PRIVATE', 'ENCRYPTED PRIVATE').replace('PRIVATE KEY-----$', '')],
  ],
  'access.apiKeys': [
    [KEYS, KEYS.slice(1), [`shop:${KEYS[0]}`, `a.b-c_1:${KEYS[1]}`, `9:${KEYS[0]}`]],
    ['short-key', 'shop:short-key', `${'a'.repeat(20)}:short`, `${KEYS[0]},short`, 'with spaces 0123456789'],
  ],
  'access.jwtJwksUrl': [['https://example.org/keys?p=1'], ['example.org/keys', 'ftp://example.org', 'https://me:pass@example.org/keys']],
  'access.jwtKey': [
    [publicPem('rsa', { modulusLength: 2_048 }), publicPem('ec', { namedCurve: 'P-256' }), publicPem('ed25519'), SECRET],
    ['short', publicPem('rsa', { modulusLength: 1_024 }), publicPem('ed25519').replaceAll('PUBLIC', 'PRIVATE')],
  ],
  'access.jwtIssuer': [['https://example.org/', '42'], []],
  'access.jwtAudience': [['true', ' lms '], []],
  'access.jwtUserClaim': [['lms.user'], ['a=b']],
  'access.roles': [
    [
      ['administrator=groups=staff=1', 'editor=realm.roles=lms-editor'],
      ['editor=key:shop', 'learner=key:app:3', 'visitor=key:web'],
      ['administrator=groups=cn=lms,ou=admins'],
      [],
    ],
    [
      'roles=admin',
      'owner=roles=admin',
      'administrator=roles',
      'administrator==x',
      'editor=roles=',
      'editor=key:',
      'editor=key:1a',
      'learner=key:app:0',
      'learner=key:app:x',
      'editor=roles=a,owner=roles=b',
    ],
  ],
  'cache.maxAge': AGES,
  'cache.secret': SIGNING,
  'redis.url': [
    [['redis://user:pass@127.0.0.1:6379/1'], ['redis://a', 'rediss://b']],
    ['http://127.0.0.1', 'redis://a/x', 'redis://a?x=1'],
  ],
  'redis.siteId': [
    ['school', '1e3'],
    ['a\tb', 'x'.repeat(201)],
  ],
  'hooks.secret': SIGNING,
  'hooks.forward': [
    [['https://a.example.org/purge?key=1', 'https://b:80/'], []],
    ['cdn.example.org', 'https://me:pass@example.org'],
  ],
  // It must differ from that of the site.
  'hooks.forwardSecret': [[[FORWARD_SECRET], [FORWARD_SECRET, OLD_SECRET]], SIGNING[1]],
  'http.host': [['0.0.0.0', '::1', 'null'], ['two words']],
  'http.path': [
    ['/api/lms', '/'],
    ['graphql', '/graphql/', '//example.org', '/graphql?x'],
  ],
  'http.corsOrigins': [
    [['https://a.example.org', '*'], []],
    ['app.example.org', 'https://a.example.org/', '*,'],
  ],
  'http.trustedProxies': [
    [['10.0.0.0/8', '2001:db8::1'], []],
    ['10.0.0.0/99', '10.0.0'],
  ],
  'http.maxAge': AGES,
  'observe.metrics': [
    [true, false, 'open', 9_464, '0.0.0.0:9464', '[::1]:9464'],
    ['yes', '65536', 'host:x', 'a:99999'],
  ],
  'subgraph.users': [
    ['here', 'lmsId:Int'],
    ['no key', 'id:Float', '__id'],
  ],
  'subgraph.inaccessible': [
    [['Course.meta', 'Query.groups(first:)'], []],
    ['Course.', 'a b'],
  ],
  'lms.switches': [[['workers=2', 'bom'], []], ['bomb']],
  url: [['https://example.org/graphql'], ['example.org', 'ftp://example.org']],
}

/** The bounds of a whole number. */
const boundsOf = ({ allowed }: Entry): readonly [least: number, most: number] =>
  (/from (\d+) to (\d+)/.exec(allowed) ?? []).slice(1).map(Number) as unknown as [number, number]

function rowOf(entry: Entry): Row {
  const { path, kind, type } = entry
  if (ROWS[path]) return ROWS[path]
  if (kind === 'file') return FILE
  if (kind === 'boolean')
    return [
      [true, false],
      ['yes', '1', 'TRUE'],
    ]
  if (kind === 'number') {
    const [least, most] = boundsOf(entry)
    return [
      [least, most],
      [String(least - 1), String(most + 1), '1.5', '1e3', '0x10', ' 5', 'many', '99999999999999999999'],
    ]
  }
  const words = [...type.matchAll(/'([^']+)'/g)].map(([, word]) => word as string)
  if (words.length === 0) throw new Error(`\`${path}\` needs an entry in ROWS.`)
  if (kind === 'text') return [words, ['neither', words.join()]]
  return [
    [words, words.slice(0, 1), []],
    ['neither', `${words[0]},`, `none,${words[0]}`],
  ]
}

/** Entries that are read as a value of their own. A file of a secret is read as the secret. */
export const VALUED: readonly Entry[] = [...ENTRIES, ...ARGUMENT_ENTRIES].filter(({ fills }) => fills === undefined)

export const goodOf = (entry: Entry): readonly Sample[] => rowOf(entry)[0].map((value) => sample(value))

export const wrongTextsOf = (entry: Entry): readonly string[] => rowOf(entry)[1]

const PAIRS = /^[^=]+=[^=]*$/

/** Wrong values as programs and settings files give them: values of other types, and the wrong texts in the type of the option. */
export function wrongValuesOf(entry: Entry): readonly unknown[] {
  const { kind } = entry
  const texts = wrongTextsOf(entry).flatMap((text): unknown[] => {
    if (kind === 'text' || kind === 'textOrNull' || kind === 'any') return [parsedText(text, entry)]
    if (kind === 'list') return [text.split(',')]
    if (kind === 'number') return Number.isNaN(Number(text)) ? [] : [boundsOf(entry)[0] - 1, boundsOf(entry)[1] + 1]
    return text.split(',').every((pair) => PAIRS.test(pair)) ? [Object.fromEntries(text.split(',').map((pair) => pair.split('=')))] : []
  })
  return [...texts, ...(kind === 'textOrNull' ? [] : [null]), { x: [1] }, [[1]], 1.5]
}

/** Options in the shape of a settings file. */
export type Nested = { readonly [Area in keyof Options]?: Readonly<Record<string, unknown>> }

const ACCOUNT: Nested = { site: { user: 'gateway', password: 'x' }, access: { open: true } }
const TOKENS: Nested = {
  ...ACCOUNT,
  access: { jwtJwksUrl: 'https://example.org/keys', jwtIssuer: 'i', jwtAudience: 'a' },
}

/** Options without which others have no effect, by the paths of these. */
const NEEDED: readonly (readonly [path: RegExp, needed: Nested])[] = [
  [/^site\.(user|password)/, ACCOUNT],
  [/^access\.jwt/, TOKENS],
  [/^network\.client/, { network: { clientCert: CERTIFICATE, clientKey: CERTIFICATE_KEY } }],
  [/^http\.(onlyTrusted|maxAge)$/, { http: { operations: 'trusted.json' } }],
  [/^cache\.secret/, { cache: { maxAge: 60 } }],
  [/^redis\.cluster$/, { redis: { url: 'redis://127.0.0.1' } }],
  [/^hooks\.forward$/, { hooks: { forwardSecret: SECRET } }],
  [/^hooks\.forwardSecret/, { hooks: { forward: ['https://example.org'] } }],
  [/^site\.editorUser/, { ...ACCOUNT, site: { ...ACCOUNT.site, editorPassword: 'x' } }],
  [/^site\.editorPassword/, { ...ACCOUNT, site: { ...ACCOUNT.site, editorUser: 'content-desk' } }],
  [
    /^access\.roles/,
    { ...TOKENS, access: { ...TOKENS.access, apiKeys: ['shop', 'app', 'web'].map((name) => `${name}:${name}-key-0123456789`) } },
  ],
  [/^backup$/, { lms: { data: 'school.db' } }],
]

/** What an option needs beside it, without the option itself and what excludes it. */
export function besideOf({ path, fills = path }: Entry): Nested {
  const needed = NEEDED.find(([pattern]) => pattern.test(path))?.[1] ?? {}
  const dropped = [fills, ...(fills === 'access.jwtKey' ? ['access.jwtJwksUrl'] : [])]
  return Object.fromEntries(
    Object.entries(needed).map(([area, values]) => [
      area,
      Object.fromEntries(Object.entries(values).filter(([name]) => !dropped.includes(`${area}.${name}`))),
    ]),
  )
}

/** Nested options with one more. */
export const withOption = (options: Nested, { area, name }: Entry, value: unknown): Nested => ({
  ...options,
  [area as keyof Options]: { ...options[area as keyof Options], [name]: value },
})

/** Nested options as variables. */
export const variablesOf = (options: Nested): Record<string, string> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([area, values]) =>
      Object.entries(values).map(([name, value]) => [entryAt(`${area}.${name}`).env as string, textOf(value)]),
    ),
  )
