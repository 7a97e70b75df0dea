import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/options/secret.js'
import { CERTIFICATE, CERTIFICATE_KEY } from './samples.js'
import { complaintsOf, optionsOf } from './setup.js'

const proxyIn = (env: Record<string, string>): string | undefined => optionsOf([], env).options.network.httpsProxy?.reveal()

describe('the variables of proxies', () => {
  it('may be in lower case, which decides, as in other programs', () => {
    expect(proxyIn({ https_proxy: 'http://small:1' })).toBe('http://small:1')
    expect(proxyIn({ HTTPS_PROXY: 'http://large:1' })).toBe('http://large:1')
    expect(proxyIn({ HTTPS_PROXY: 'http://large:1', https_proxy: 'http://small:1' })).toBe('http://small:1')
    expect(proxyIn({ HTTPS_PROXY: 'http://large:1', https_proxy: '' })).toBe('http://large:1')
    expect(optionsOf([], { no_proxy: 'a.example, b.example,' }).options.network.noProxy).toEqual(['a.example', 'b.example', ''])
    expect(complaintsOf([], { http_proxy: 'socks5://s3cret' })).toEqual([
      '`http_proxy` is wrong; it must be an http or https address such as http://proxy.example.org:3128, which may have a user and password.',
    ])
  })

  it('are no misspelt settings, and other options have no variables in lower case', () => {
    expect(optionsOf([], { http_proxy: '', no_proxy: '', ALL_PROXY: 'x', NO_COLOR: '1' }).warnings).toEqual([])
    expect(optionsOf([], { max_rows: '5' }).options.limits.maxRows).toBe(1_000)
  })

  it('are not read by commands that call nothing', () => {
    expect(optionsOf(['lms'], { HTTPS_PROXY: 'socks5://x', TRUSTED_CA_FILE: 'missing' }).options.network).toEqual({ noProxy: [] })
  })
})

describe('a certificate', () => {
  it('in a file is named with the file and the reason when it cannot be used', () => {
    const files = { 'ca.pem': CERTIFICATE_KEY, empty: '', 'key.pem': CERTIFICATE }
    expect(complaintsOf(['--trusted-ca-file', 'ca.pem'], {}, files)).toEqual([
      'The file `ca.pem` that `--trusted-ca-file` names does not contain certificates in PEM.',
    ])
    expect(complaintsOf(['--trusted-ca-file', 'empty'], {}, files)).toEqual(['The file `empty` that `--trusted-ca-file` names is empty.'])
    expect(complaintsOf([], { TRUSTED_CA_FILE: '/no/ca.pem' })).toEqual([
      'The file `/no/ca.pem` that `TRUSTED_CA_FILE` names does not exist.',
    ])
    // That of a key is a secret.
    expect(complaintsOf(['--lms-client-key-file', 'key.pem'], {}, files)).toEqual([
      'The file that `--lms-client-key-file` names does not contain a private key in PEM without a passphrase.',
      '`--lms-client-key-file` has no effect without `LMS_CLIENT_CERT` or `LMS_CLIENT_CERT_FILE`: set that, or drop `--lms-client-key-file`.',
    ])
  })

  it('can be one variable, with `\\n` in place of line breaks, and many in one file', () => {
    const flat = (text: string): string => text.replaceAll('\n', '\\n')
    const { network } = optionsOf([], { LMS_CLIENT_CERT: flat(CERTIFICATE), LMS_CLIENT_KEY: flat(CERTIFICATE_KEY) }).options
    expect(network.clientKey).toBeInstanceOf(Secret)
    const bundle = '/etc/ssl/certs/ca-certificates.crt'
    const files = { [bundle]: Array.from({ length: 50 }, (_, at) => `# ${at}\n${CERTIFICATE}\n`).join('') }
    expect(optionsOf(['--trusted-ca-file', bundle], {}, files).options.network.ca).toContain('# 49')
  })

  it('is not printed by `lms-graphql config`', async () => {
    const { effectiveText } = await import('../../src/options/effective.js')
    const text = effectiveText(optionsOf(['config', '--trusted-ca-file', 'ca.pem'], {}, { 'ca.pem': CERTIFICATE }))
    expect(text).toContain('  # ca: hidden  # --trusted-ca-file\n')
  })
})
