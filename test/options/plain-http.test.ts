import { describe, expect, it } from 'vitest'
import { isPlainHttp } from '../../src/options/addresses.js'
import { readOptions } from '../../src/options/read.js'

describe('an address', () => {
  it.each([
    'http://localhost',
    'http://localhost:8080/wp-json?rest_route=/',
    'HTTP://LOCALHOST/',
    'http://127.0.0.1',
    'http://127.0.0.1:3000/jwks',
    'http://127.255.255.254',
    'http://127.1',
    'http://127.0.0.1.',
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://[::1]:4000',
    'http://[0:0:0:0:0:0:0:1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::FFFF:7FFF:1]',
  ])('is http to this machine: %s', (address) => {
    expect(isPlainHttp(address)).toBe(false)
  })

  it.each([
    'http://example.org',
    'HTTP://EXAMPLE.ORG/jwks',
    'http://10.0.0.2:4080/wp-json',
    'http://192.168.0.1',
    'http://128.0.0.1',
    'http://2147483648',
    'http://front-end:3000',
    // All addresses of this machine, and the names that name servers are asked for.
    'http://0.0.0.0',
    'http://0',
    'http://[::]',
    'http://localhost.',
    'http://gateway.localhost',
    'http://localhost.example.org',
    'http://127.example.org',
    'http://127.0.0.1.example.org',
    'http://127.0.0.1@example.org',
    'http://localhost:80@example.org',
    'http://example.org#@127.0.0.1',
    'http://example.org/http://127.0.0.1',
    'http://[::2]',
    'http://[fe80::1]',
    'http://[::ffff:10.0.0.1]',
    'http://[::ffff:128.0.0.1]',
  ])('is http to another machine: %s', (address) => {
    expect(isPlainHttp(address)).toBe(true)
  })

  it.each(['https://example.org', 'HTTPS://10.0.0.1', 'https://localhost'])('is not http: %s', (address) => {
    expect(isPlainHttp(address)).toBe(false)
  })

  it.each(['', 'example.org', 'http://', 'http://127.0.0.256', 'redis://10.0.0.1', 'httpx://example.org'])(
    'is none, which other checks refuse: %j',
    (text) => {
      expect(isPlainHttp(text)).toBe(false)
    },
  )
})

describe.each(['serve', 'doctor'])('`%s` with an account', (command) => {
  const read = (upstream: string, ...flags: readonly string[]) =>
    readOptions([command, '--upstream', upstream, ...flags], {
      LMS_USER: 'gateway',
      LMS_PASSWORD: 'a-password',
      GATEWAY_API_KEYS: 'a-key-0123456789',
    })

  it('refuses a site on another machine that is called by http', () => {
    const complaints = [expect.stringMatching(/^`--upstream` is http, .*set `--allow-plain-http` or `ALLOW_PLAIN_HTTP`\.$/)]
    expect(read('http://site.example')).toMatchObject({ kind: 'complaints', complaints })
  })

  it('takes it when it is allowed, and one on this machine in any case', () => {
    expect(read('http://site.example', '--allow-plain-http')).toMatchObject({ kind: 'options' })
    expect(read('http://127.0.0.1:8080')).toMatchObject({ kind: 'options' })
    expect(read('https://site.example')).toMatchObject({ kind: 'options' })
  })
})
