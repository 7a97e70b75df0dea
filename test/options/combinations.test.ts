import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/settings/config.js'
import { type Env, KEYS } from './settings-table.js'
import { complaintsOf, readFile } from './setup.js'

const ACCOUNT = { LMS_USER: 'admin', LMS_PASSWORD: 's3cret' }
const CHECK = { JWT_JWKS_URL: 'https://example.org/keys', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }

describe('the schema command', () => {
  it('prints the graph for routers, or for clients that handle errors', () => {
    expect(complaintsOf(['schema', '--semantic-nullability'], { SUBGRAPH: 'true' })).toEqual([
      '`--semantic-nullability` cannot be used with `SUBGRAPH`: routers do not accept the directive; drop one of them.',
    ])
  })
})

describe('settings that contradict or require each other', () => {
  const AUTHENTICATION = /`GATEWAY_API_KEYS`.*`JWT_JWKS_URL`.*`GATEWAY_OPEN=true`/

  it.each<[string, Env, (string | RegExp)[]]>([
    ['a user alone', { LMS_USER: 'admin', GATEWAY_OPEN: 'true' }, [/^`LMS_USER` needs .*`LMS_PASSWORD` or `LMS_PASSWORD_FILE`/]],
    ['a password alone', { LMS_PASSWORD: 's3cret', GATEWAY_OPEN: 'true' }, [/^`LMS_PASSWORD` has no effect without `LMS_USER`.*or drop/]],
    ['a secret of the cache alone', { CACHE_SECRET: 'x'.repeat(32) }, [/^`CACHE_SECRET` has no effect without `--cache`/]],
    ['a cluster without an address', { REDIS_CLUSTER: 'true' }, [/^`REDIS_CLUSTER` has no effect without `REDIS_URL` or `REDIS_URL_FILE`/]],
    ['a password file alone', { LMS_PASSWORD_FILE: 'password.txt', GATEWAY_OPEN: 'true' }, [/^`LMS_PASSWORD_FILE` has no effect/]],
    ['an account without authentication', ACCOUNT, [AUTHENTICATION]],
    ['an account that is not open', { ...ACCOUNT, GATEWAY_OPEN: 'false' }, [AUTHENTICATION]],
    ['a user without password and authentication', { LMS_USER: 'admin' }, [/^`LMS_USER` needs/, AUTHENTICATION]],
    ['tokens without an account', CHECK, [/^`JWT_JWKS_URL` has no effect without `LMS_USER`.*`Authorization` is for the site/]],
    ['a claim without an account', { JWT_USER_CLAIM: 'uid' }, [/^`JWT_USER_CLAIM` has no effect/]],
    ['tokens without issuer', { ...ACCOUNT, ...CHECK, JWT_ISSUER: '' }, [/also set `JWT_ISSUER`/]],
    ['tokens without audience', { ...ACCOUNT, ...CHECK, JWT_AUDIENCE: '' }, [/also set `JWT_AUDIENCE`/]],
    ['tokens without a key', { ...ACCOUNT, ...CHECK, JWT_JWKS_URL: '' }, [/also set `JWT_JWKS_URL`, `JWT_KEY` or `JWT_KEY_FILE`/]],
    ['a claim alone', { ...ACCOUNT, GATEWAY_OPEN: 'true', JWT_ADMIN: 'x=y' }, [/`JWT_KEY_FILE` and `JWT_ISSUER` and `JWT_AUDIENCE`/]],
    [
      'a host for no metrics',
      { METRICS_HOST: '::1' },
      ['`METRICS_HOST` has no effect without `--metrics-port`: set that, or drop `METRICS_HOST`.'],
    ],
    [
      'one port for two servers',
      { PORT: '9464', METRICS_PORT: '9464', METRICS_HOST: '127.0.0.1' },
      ['`METRICS_PORT` is `9464`, which is the port of GraphQL; it must be another one.'],
    ],
    [
      'a port for no metrics',
      { METRICS: 'false', METRICS_PORT: '9464' },
      ['`METRICS` is false, but `METRICS_PORT` serves metrics; drop one of them.'],
    ],
    [
      'open metrics on a port of their own',
      { METRICS_OPEN: 'true', METRICS_PORT: '9464' },
      ['`METRICS_OPEN` has no effect with `METRICS_PORT`: that port is open to everybody who reaches it; drop one of them.'],
    ],
    [
      'ages of answers without trusted documents',
      { HTTP_MAX_AGE: '60' },
      [
        /^`HTTP_MAX_AGE` has no effect without `TRUSTED_DOCUMENTS`: only answers to trusted documents may be kept\. Set that, or drop `HTTP_MAX_AGE`/,
      ],
    ],
    [
      'addresses for changes without a secret',
      { HOOK_FORWARD: 'https://example.org' },
      ['`HOOK_FORWARD` needs a secret to sign with: set `HOOK_FORWARD_SECRET` or `HOOK_FORWARD_SECRET_FILE`.'],
    ],
    [
      'a secret for no addresses',
      { HOOK_FORWARD_SECRET_FILE: 'secret.txt' },
      ['`HOOK_FORWARD_SECRET_FILE` has no effect without `HOOK_FORWARD`: set that, or drop `HOOK_FORWARD_SECRET_FILE`.'],
    ],
    ['nothing to trust', { ONLY_TRUSTED: 'true' }, [/^`ONLY_TRUSTED` has no effect without `TRUSTED_DOCUMENTS`.*drop `ONLY_TRUSTED`/]],
    ['two keys', { ...ACCOUNT, ...CHECK, JWT_KEY_FILE: 'key.pem' }, ['`JWT_JWKS_URL` and `JWT_KEY_FILE` are both set; drop one of them.']],
    [
      'a secret and its file',
      { ...ACCOUNT, GATEWAY_OPEN: 'true', LMS_PASSWORD_FILE: 'password.txt' },
      ['`LMS_PASSWORD_FILE` and `LMS_PASSWORD` are both set; drop `LMS_PASSWORD`.'],
    ],
    [
      'cookies with an account',
      { ...ACCOUNT, GATEWAY_OPEN: 'true', FORWARD_COOKIE: 'true' },
      [/`FORWARD_COOKIE` cannot be used with .*drop `FORWARD_COOKIE`/],
    ],
  ])('are all reported: %s', (_, env, wanted) => {
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
    ['an account with all kinds of authentication', { ...ACCOUNT, ...CHECK, GATEWAY_API_KEYS: KEYS, GATEWAY_OPEN: 'true' }],
    ['addresses for changes with a secret', { HOOK_FORWARD: 'https://example.org', HOOK_FORWARD_SECRET_FILE: 'secret.txt' }],
    ['no addresses for changes', { HOOK_FORWARD: 'none' }],
    ['no addresses for changes with a secret', { HOOK_FORWARD: 'none', HOOK_FORWARD_SECRET_FILE: 'secret.txt' }],
    ['API keys alone', { GATEWAY_API_KEYS: KEYS }],
    ['cookies alone', { FORWARD_COOKIE: 'true' }],
    ['cookies switched off', { ...ACCOUNT, GATEWAY_OPEN: 'true', FORWARD_COOKIE: 'false' }],
  ])('are accepted when they do not: %s', (_, env) => {
    expect(readConfig([], env, readFile).kind).toBe('config')
  })

  it('are reported by their flags when those were used', () => {
    expect(complaintsOf(['--lms-user', 'admin', '--open', '--forward-cookie'])).toEqual([
      expect.stringMatching(/^`--lms-user` needs/),
      expect.stringMatching(/^`--forward-cookie` cannot be used with `--lms-user`/),
    ])
  })

  it('reports how to set a secret that was given as a flag', () => {
    expect(complaintsOf(['--lms-password', 's3cret'])).toEqual([
      '`--lms-password` is not a flag; lists of processes show command lines. Set `LMS_PASSWORD`, or `--lms-password-file`.',
    ])
    expect(complaintsOf(['--gateway-api-keys=s3cret']).join()).toContain('Set `GATEWAY_API_KEYS`, or `--gateway-api-keys-file`.')
  })
})
