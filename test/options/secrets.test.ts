import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/settings/config.js'
import type { Secret } from '../../src/settings/secret.js'
import { type Env, KEYS, RSA } from './settings-table.js'
import { bare, complaintsOf, configOf } from './setup.js'

const ACCOUNT = { LMS_USER: 'admin', LMS_PASSWORD: 's3cret' }

describe('complaints', () => {
  it('never quote values that may be secrets', () => {
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
      [[], { HOOK_SECRET: 's3cret' }],
      [[], { HOOK_SECRET_FILE: 'short.txt' }],
      [[], { HOOK_FORWARD: 'htp://example.org/s3cret' }],
      [['--hook-forward-secret=s3cret'], { HOOK_FORWARD: 'https://example.org/s3cret' }],
      [[], { HOOK_FORWARD: 'https://example.org/s3cret' }],
      [[], { JWT_JWKS_URL: 'https://me:s3cret@example.org/keys' }],
      [['--upstream', 'https://example.org/?rest_route=/s3cret'], {}],
    ]
    for (const [argv, env] of cases) expect(complaintsOf(argv, env).join('\n')).not.toContain('s3cret')
  })
})

describe('secrets in files', () => {
  it('are the text of the file, without the line break at its end', () => {
    expect(bare(configOf([], { LMS_USER: 'admin', LMS_PASSWORD_FILE: 'password.txt', GATEWAY_OPEN: 'true' }).lmsPassword)).toBe(
      'abcd efgh ijkl',
    )
    expect(bare(configOf(['--gateway-api-keys-file', 'keys.txt']).gatewayApiKeys)).toEqual(KEYS.split(','))
    expect(bare(configOf(['--jwt-key-file', 'key.pem'], { ...ACCOUNT, JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }).jwtKey)).toBe(RSA.trimEnd())
  })

  it.each(['HOOK_SECRET', 'HOOK_FORWARD_SECRET', 'CACHE_SECRET'])('are two in the file of %s when it has two lines', (name) => {
    const beside = { CACHE: '60', HOOK_FORWARD: 'https://cdn.example.org', HOOK_FORWARD_SECRET_FILE: 'secret.txt' }
    const { hookSecret, hookForwardSecret, cacheSecret } = configOf([], { ...beside, [`${name}_FILE`]: 'secrets.txt' })
    const values = { HOOK_SECRET: hookSecret, HOOK_FORWARD_SECRET: hookForwardSecret, CACHE_SECRET: cacheSecret }
    expect(bare(values[name as keyof typeof values])).toEqual(['new-secret-0123456789-0123456789', 'abcdef-0123456789-0123456789-0123'])
  })

  it.each([
    ['missing.txt', 'The file that `LMS_PASSWORD_FILE` names does not exist.'],
    ['empty.txt', 'The file that `LMS_PASSWORD_FILE` names is empty.'],
    ['lines.txt', 'The file that `LMS_PASSWORD_FILE` names does not contain a text of one line.'],
  ])('are reported without name or content: %s', (path, complaint) => {
    expect(complaintsOf([], { LMS_USER: 'admin', LMS_PASSWORD_FILE: path, GATEWAY_OPEN: 'true' })).toEqual([complaint])
  })

  it('are read from real files', () => {
    expect(readConfig([], { GATEWAY_API_KEYS_FILE: '/no/such/file' })).toEqual({
      kind: 'complaints',
      complaints: ['The file that `GATEWAY_API_KEYS_FILE` names does not exist.'],
    })
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
      HOOK_SECRET: `s3cret-${'x'.repeat(32)},s3cret-${'y'.repeat(32)}`,
    })
    const printed = [
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      `${config.lmsPassword}${config.gatewayApiKeys}${config.hookSecret}`,
    ]
    for (const text of printed) {
      expect(text).toContain('[secret]')
      expect(text).not.toContain('s3cret')
    }
    expect(Object.keys(config.lmsPassword as Secret)).toEqual([])
    expect(bare([config.lmsPassword, ...config.gatewayApiKeys])).toEqual(['s3cret', 's3cret-0123456789'])
  })
})
