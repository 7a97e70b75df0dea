import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../src/options/table.js'
import { CERTIFICATE, CERTIFICATE_KEY, KEYS, type Nested, OLD_SECRET, SECRET, variablesOf } from './samples.js'
import { complaintsOf, programComplaints } from './setup.js'

/** A mistake, the sentence about it, and options that its sentence proposes; undefined drops one. */
interface Case {
  readonly given: Nested
  /** What a program is told. */
  readonly told: string
  readonly mended: readonly Nested[]
  readonly commandOnly?: true
}

const URL = 'https://lms.example.org'
const ACCOUNT: Nested = { site: { url: URL, user: 'gateway', password: 'x' } }
const OPEN: Nested = { ...ACCOUNT, access: { open: true } }
const CHECK = { jwtJwksUrl: 'https://example.org/keys', jwtIssuer: 'i', jwtAudience: 'a' }
const SITE: Nested = { site: { url: URL } }
const NAMED = [`shop:${KEYS[0]}`]
const OTHER_KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const hooks = { forward: ['https://cdn.example.org'], forwardSecret: SECRET }

const merge = (one: Nested, other: Nested): Nested =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((area) => {
      const values = { ...one[area as keyof Nested], ...other[area as keyof Nested] }
      return [area, Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))]
    }),
  )

const noEffect = (path: string, other: string) => `${path} has no effect without ${other}: set that, or drop ${path}.`
const plain = (path: string, what: string) =>
  `\`${path}\` is http, so ${what} can be read and changed on the way. Use https, or set \`access.allowPlainHttp\`.`
const embedded = (path: string) => `\`${path}\` has no effect with \`site.url\`: it is for the embedded LMS; drop one of them.`

const CASES: Readonly<Record<string, Case>> = {
  'a user without a password': {
    given: { site: { url: URL, user: 'gateway' }, access: { open: true } },
    told: '`site.user` needs its application password: set `site.password`.',
    mended: [{ site: { password: 'x' } }],
  },
  'a password without a user': {
    given: { site: { url: URL, password: 'x' }, access: { open: true } },
    told: noEffect('`site.password`', '`site.user`'),
    mended: [{ site: { user: 'gateway' } }, { site: { password: undefined } }],
  },
  'a second account without the first': {
    given: { site: { url: URL, editorUser: 'editor', editorPassword: 'x' } },
    told: noEffect('`site.editorUser`', '`site.user`'),
    mended: [OPEN, { site: { editorUser: undefined, editorPassword: undefined } }],
  },
  'an editor without a password': {
    given: merge(OPEN, { site: { editorUser: 'editor' } }),
    told: '`site.editorUser` needs its application password: set `site.editorPassword`.',
    mended: [{ site: { editorPassword: 'x' } }],
  },
  'a password without an editor': {
    given: merge(OPEN, { site: { editorPassword: 'x' } }),
    told: noEffect('`site.editorPassword`', '`site.editorUser`'),
    mended: [{ site: { editorUser: 'editor' } }, { site: { editorPassword: undefined } }],
  },
  'roles without an account': {
    given: { ...SITE, access: { apiKeys: NAMED, roles: ['editor=key:shop'] } },
    told: noEffect('`access.roles`', '`site.user`'),
    mended: [ACCOUNT, { access: { apiKeys: NAMED, roles: undefined } }, { access: { apiKeys: NAMED, roles: [] } }],
  },
  'a learner without a user': {
    given: { ...ACCOUNT, access: { apiKeys: NAMED, roles: ['learner=key:shop'] } },
    told: '`access.roles` has the learner `key:shop` without the user whom the key stands for: write `learner=key:shop:USER_ID`.',
    mended: [{ access: { apiKeys: NAMED, roles: ['learner=key:shop:3'] } }, { access: { apiKeys: NAMED, roles: ['visitor=key:shop'] } }],
  },
  'a role of an unknown key': {
    given: { ...ACCOUNT, access: { apiKeys: KEYS, roles: ['editor=key:shop'] } },
    told: '`access.roles` has the key `shop`, but `access.apiKeys` has no key with this name.',
    mended: [{ access: { apiKeys: NAMED, roles: ['editor=key:shop'] } }, { access: { apiKeys: KEYS, roles: undefined } }],
  },
  'a role of a claim without tokens': {
    given: merge(OPEN, { access: { roles: ['editor=roles=teacher'] } }),
    told: '`access.roles` has the claim `roles`, but there are no tokens: set `access.jwtIssuer` and the other options of tokens, or drop the item.',
    mended: [{ access: { ...CHECK } }, { access: { open: true, roles: [] } }],
  },
  'an account for everybody': {
    given: ACCOUNT,
    told: '`site.user` gives its rights to everybody who reaches the gateway. Set `access.apiKeys`; or `access.jwtJwksUrl` with `access.jwtIssuer` and `access.jwtAudience`; or `access.open` for visitors, who may only read what is published. Or drop `site.user`.',
    mended: [
      { access: { apiKeys: KEYS } },
      { access: CHECK },
      { access: { open: true } },
      { site: { user: undefined, password: undefined } },
    ],
  },
  'an account that is not open': {
    given: { ...ACCOUNT, access: { open: false } },
    told: '`site.user` gives its rights to everybody who reaches the gateway. Set `access.apiKeys`; or `access.jwtJwksUrl` with `access.jwtIssuer` and `access.jwtAudience`; or `access.open` for visitors, who may only read what is published. Or drop `site.user`.',
    mended: [{ access: { open: true } }],
  },
  'tokens without an account': {
    given: { ...SITE, access: CHECK },
    told: '`access.jwtJwksUrl` has no effect without `site.user` and `site.password`: without an account, `Authorization` is for the site, not for the gateway. Set them, or drop `access.jwtJwksUrl`.',
    mended: [ACCOUNT, { access: { jwtJwksUrl: undefined, jwtIssuer: undefined, jwtAudience: undefined } }],
  },
  'tokens without issuer and audience': {
    given: { ...ACCOUNT, access: { jwtKey: SECRET } },
    told: '`access.jwtKey` is not enough to verify tokens: also set `access.jwtIssuer`; and `access.jwtAudience`.',
    mended: [{ access: { jwtIssuer: 'i', jwtAudience: 'a' } }],
  },
  'a claim without a key': {
    given: { ...ACCOUNT, access: { jwtIssuer: 'i', jwtAudience: 'a' } },
    told: '`access.jwtIssuer` is not enough to verify tokens: also set `access.jwtJwksUrl` or `access.jwtKey`.',
    mended: [{ access: { jwtJwksUrl: CHECK.jwtJwksUrl } }, { access: { jwtKey: SECRET } }],
  },
  'two sources of keys': {
    given: { ...ACCOUNT, access: { ...CHECK, jwtKey: SECRET } },
    told: '`access.jwtJwksUrl` cannot be used with `access.jwtKey`: tokens have one source of keys; drop one of them.',
    mended: [{ access: { jwtKey: undefined } }, { access: { jwtJwksUrl: undefined } }],
  },
  'cookies with an account': {
    given: merge(OPEN, { site: { forwardCookie: true } }),
    told: '`site.forwardCookie` cannot be used with `site.user`: the site receives the credentials of the account for all callers; drop one of them.',
    mended: [
      { site: { forwardCookie: undefined } },
      { site: { forwardCookie: false } },
      { site: { user: undefined, password: undefined } },
    ],
  },
  'a certificate without its key': {
    given: { ...SITE, network: { clientCert: CERTIFICATE } },
    told: noEffect('`network.clientCert`', '`network.clientKey`'),
    mended: [{ network: { clientKey: CERTIFICATE_KEY } }, { network: { clientCert: undefined } }],
  },
  'a key without its certificate': {
    given: { ...SITE, network: { clientKey: CERTIFICATE_KEY } },
    told: noEffect('`network.clientKey`', '`network.clientCert`'),
    mended: [{ network: { clientCert: CERTIFICATE } }, { network: { clientKey: undefined } }],
  },
  'a certificate with another key': {
    given: { ...SITE, network: { clientCert: CERTIFICATE, clientKey: OTHER_KEY } },
    told: '`network.clientCert` has no certificate of `network.clientKey`: the first certificate must be that of the key.',
    mended: [{ network: { clientKey: CERTIFICATE_KEY } }],
  },
  'addresses for changes without a secret': {
    given: { ...SITE, hooks: { forward: hooks.forward } },
    told: '`hooks.forward` needs a secret to sign with: set `hooks.forwardSecret`.',
    mended: [{ hooks }],
  },
  'a secret without addresses for changes': {
    given: { ...SITE, hooks: { forwardSecret: [SECRET, OLD_SECRET] } },
    told: noEffect('`hooks.forwardSecret`', '`hooks.forward`'),
    mended: [{ hooks }, { hooks: { forward: [] } }, { hooks: { forwardSecret: undefined } }],
  },
  'one secret for both directions': {
    given: { ...SITE, hooks: { ...hooks, secret: [OLD_SECRET, SECRET] } },
    told: '`hooks.forwardSecret` and `hooks.secret` have the same secret, so who receives changes can send them to the gateway; replace one of them.',
    mended: [{ hooks: { secret: OLD_SECRET } }, { hooks: { forwardSecret: [OLD_SECRET.toUpperCase()] } }, { hooks: { secret: undefined } }],
  },
  'nothing to trust': {
    given: { ...SITE, http: { onlyTrusted: true } },
    told: noEffect('`http.onlyTrusted`', '`http.operations`'),
    mended: [{ http: { operations: 'x.json' } }, { http: { onlyTrusted: undefined } }],
  },
  'ages of answers that nobody may keep': {
    given: { ...SITE, http: { maxAge: 60 } },
    told: noEffect('`http.maxAge`', '`http.operations`'),
    mended: [{ http: { operations: 'x.json' } }, { http: { maxAge: undefined } }, { subgraph: { enabled: true } }],
  },
  'a secret of no cache': {
    given: { ...SITE, cache: { secret: SECRET } },
    told: noEffect('`cache.secret`', '`cache.maxAge`'),
    mended: [{ cache: { maxAge: 60 } }, { cache: { secret: undefined } }, { observe: { logCallers: 'hashed' } }],
  },
  'a cluster without an address': {
    given: { ...SITE, redis: { cluster: true } },
    told: noEffect('`redis.cluster`', '`redis.url`'),
    mended: [{ redis: { url: 'redis://127.0.0.1' } }, { redis: { cluster: undefined } }],
  },
  'one port for two servers': {
    given: { ...SITE, http: { port: 9_464 }, observe: { metrics: 9_464 } },
    told: '`observe.metrics` is `9464`, which is the port of GraphQL; it must be another one.',
    mended: [{ observe: { metrics: 9_465 } }, { http: { port: 4_000 } }],
  },
  'one host and port for two servers': {
    given: { ...SITE, http: { host: '0.0.0.0', port: 9_464 }, observe: { metrics: '0.0.0.0:9464' } },
    told: '`observe.metrics` is `0.0.0.0:9464`, which is the port of GraphQL; it must be another one.',
    mended: [{ observe: { metrics: '127.0.0.1:9464' } }],
  },
  'a key set by http': {
    given: { ...ACCOUNT, access: { ...CHECK, jwtJwksUrl: 'http://example.org/keys' } },
    told: plain('access.jwtJwksUrl', 'the keys of tokens'),
    mended: [{ access: { jwtJwksUrl: 'https://example.org/keys' } }, { access: { allowPlainHttp: true } }],
  },
  'a site with an account by http': {
    given: merge(OPEN, { site: { url: 'http://lms.example.org' } }),
    told: plain('site.url', 'the credentials for the site'),
    mended: [{ site: { url: URL } }, { site: { url: 'http://127.0.0.1:8080' } }, { access: { allowPlainHttp: true } }],
  },
  'a site with cookies by http': {
    given: { site: { url: 'http://lms.example.org', forwardCookie: true } },
    told: plain('site.url', 'the credentials for the site'),
    mended: [{ site: { forwardCookie: undefined } }, { site: { url: 'http://localhost:8080' } }, { access: { allowPlainHttp: true } }],
  },
  'changes sent by http': {
    given: { ...SITE, hooks: { ...hooks, forward: ['https://a.example.org', 'http://10.0.0.1/'] } },
    told: plain('hooks.forward', 'the changes'),
    mended: [{ hooks: { forward: ['http://[::1]:80/'] } }, { access: { allowPlainHttp: true } }],
  },
  ...Object.fromEntries(
    (
      [
        ['data', 'school.db'],
        ['scale', 2],
        ['inProduction', true],
        ['profile', 'learndash'],
        ['switches', ['workers=2']],
        ['control', true],
      ] as const
    ).map(([name, value]): [string, Case] => [
      `lms.${name} beside a site`,
      {
        given: { ...SITE, lms: { [name]: value } },
        told: embedded(`lms.${name}`),
        mended: [{ lms: { [name]: undefined } }, { site: { url: undefined } }],
        commandOnly: true,
      },
    ]),
  ),
}

/** A sentence as a command says it: options by their variables where they are given, else by how they are set. */
function asCommand(told: string, given: Nested): string {
  const variables = variablesOf(given)
  return told.replace(/`([a-z]+\.\w+)`/g, (_, path: string) => {
    const { flag, env = '' } = ENTRIES.find((each) => each.path === path) ?? {}
    if (Object.hasOwn(variables, env) && variables[env] !== 'false') return `\`${env}\``
    return flag === undefined ? `\`${env}\` or \`${env}_FILE\`` : `\`--${flag}\` or \`${env}\``
  })
}

describe('the command', () => {
  it.each(Object.entries(CASES))('refuses %s with what to set or drop, which mends it', (_, { given, told, mended }) => {
    expect(complaintsOf([], variablesOf(given))).toEqual([asCommand(told, given)])
    for (const each of mended) expect(complaintsOf([], variablesOf(merge(given, each)))).toEqual([])
  })
})

describe('createGateway', () => {
  const cases = Object.entries(CASES).filter(([, { commandOnly }]) => !commandOnly)
  it.each(cases)('refuses %s with what to set or drop, which mends it', (_, { given, told, mended }) => {
    expect(programComplaints(given)).toEqual([told])
    for (const each of mended) expect(programComplaints(merge(given, each))).toEqual([])
  })
})

describe('contradictions', () => {
  it('are all reported, by flags, variables and keys as they were given', () => {
    const files = { 'lms.yaml': 'http:\n  onlyTrusted: true\nhooks:\n  forward: [https://example.org]\nredis:\n  cluster: true' }
    const argv = ['--config=lms.yaml', '--lms-user', 'admin', '--open', '--forward-cookie']
    expect(complaintsOf(argv, { JWT_ISSUER: 'i', CACHE_SECRET: SECRET }, files)).toEqual([
      '`--lms-user` needs its application password: set `LMS_PASSWORD` or `LMS_PASSWORD_FILE`.',
      expect.stringMatching(/^`JWT_ISSUER` is not enough to verify tokens: also set `--jwt-jwks-url` or `JWT_JWKS_URL` or `JWT_KEY` or/),
      expect.stringMatching(/^`--forward-cookie` cannot be used with `--lms-user`: /),
      '`hooks.forward` (lms.yaml, line 4) needs a secret to sign with: set `HOOK_FORWARD_SECRET` or `HOOK_FORWARD_SECRET_FILE`.',
      expect.stringMatching(/^`http.onlyTrusted` \(lms.yaml, line 2\) has no effect without `--operations` or `OPERATIONS`: /),
      expect.stringMatching(/^`CACHE_SECRET` has no effect without `--cache` or `CACHE`: /),
      expect.stringMatching(/^`redis.cluster` \(lms.yaml, line 6\) has no effect without `REDIS_URL` or `REDIS_URL_FILE`: /),
    ])
  })

  it('name the file of a secret when that was given', () => {
    const files = { 'x.txt': SECRET }
    expect(complaintsOf([], { HOOK_FORWARD_SECRET_FILE: 'x.txt' }, files)).toEqual([
      '`HOOK_FORWARD_SECRET_FILE` has no effect without `--hook-forward` or `HOOK_FORWARD`: set that, or drop `HOOK_FORWARD_SECRET_FILE`.',
    ])
  })

  it('are not seen in options that are off or have their default', () => {
    for (const given of [
      { ...SITE, access: { jwtUserClaim: 'sub', roles: ['administrator=roles=admin'] } },
      { ...SITE, http: { onlyTrusted: false }, redis: { cluster: false }, hooks: { forward: [] } },
      { ...SITE, site: { url: URL, forwardCookie: false } },
    ])
      expect([programComplaints(given), complaintsOf([], variablesOf(given))]).toEqual([[], []])
    expect(complaintsOf([], variablesOf({ ...SITE, lms: { profile: 'lms', control: false, switches: [] } }))).toEqual([])
  })

  it.each<[string, Record<string, string>, string, string]>([
    ['doctor', {}, '`doctor` needs a site: set `--upstream` or `LMS_URL`.', 'doctor --upstream https://example.org'],
    [
      'serve',
      { NODE_ENV: 'production' },
      '`serve` needs a site in production: set `--upstream` or `LMS_URL`, or `--embedded` for the embedded LMS.',
      'serve --embedded',
    ],
    [
      'supergraph',
      {},
      '`supergraph` needs the address at which routers reach the gateway: set `--url`.',
      'supergraph --url https://example.org/graphql',
    ],
    [
      'schema --semantic-nullability --subgraph',
      {},
      '`--semantic-nullability` cannot be used with `--subgraph`: routers do not accept the directive; drop one of them.',
      'schema --subgraph',
    ],
    [
      'doctor --upstream https://example.org --force',
      {},
      '`--force` has no effect without `--write`: set that, or drop `--force`.',
      'doctor --upstream https://example.org --force --write x.yaml',
    ],
    [
      'check --schema x.graphql --url https://example.org/graphql',
      {},
      '`--url` cannot be used with `--schema`: there is one graph to check; drop one of them.',
      'check --schema x.graphql',
    ],
    [
      'check --schema x.graphql --max-calls 50',
      {},
      '`--max-calls` cannot be used with `--schema`: calls are estimated with a gateway; drop one of them.',
      'check --max-calls 50',
    ],
    [
      'check --headers-file x.txt',
      {},
      '`--headers-file` has no effect without `--url`: set that, or drop `--headers-file`.',
      'check --headers-file x.txt --url https://example.org/graphql',
    ],
    [
      'check --usage x.json',
      {},
      '`--usage` has no effect without `--against`: set that, or drop `--usage`.',
      'check --usage x.json --against x.graphql',
    ],
    ['usage . --format github', {}, '`--format` is `github`, which `check` prints only.', 'check . --format github'],
    [
      'lms --backup x.db',
      {},
      '`--backup` has no effect without `--data` or `LMS_DATA`: set that, or drop `--backup`.',
      'lms --backup x.db --data y.db',
    ],
  ])('of the command `%s` with %j are refused', (line, env, complaint, mended) => {
    expect(complaintsOf(line.split(' '), env)).toEqual([complaint])
    expect(complaintsOf(mended.split(' '), env)).toEqual([])
  })

  it('of a program without a site are refused', () => {
    expect(programComplaints({})).toEqual(['The gateway needs a site: set `site.url`.'])
  })
})
