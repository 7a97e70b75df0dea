import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.js'
import { isAddressRange } from '../../src/options/addresses.js'
import { clientAddresses } from '../../src/server/auth/client-address.js'

const from = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

describe('the address of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    [undefined, ''],
  ])('%s is that of the connection without trusted proxies: %s', (address, expected) => {
    expect(clientAddresses([])(from(address, '203.0.113.9')).address).toBe(expected)
  })

  const addressOf = clientAddresses(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])

  it.each([
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    // What a client writes itself stands to the left of what its proxy writes.
    ['10.1.2.3', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '198.51.100.1, 203.0.113.9, 192.0.2.7, 10.9.9.9', '203.0.113.9'],
    ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:4860:1:2:3::1', '2001:4860:1:2::/64'],
    ['10.1.2.3', '203.0.113.9:4711', '203.0.113.9'],
    ['10.1.2.3', '[2001:4860:1:2:3::1]:443', '2001:4860:1:2::/64'],
    // A client inside the trusted network.
    ['10.1.2.3', '10.7.7.7', '10.7.7.7'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9, unknown', '10.1.2.3'],
    ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
  ])('behind %s with X-Forwarded-For: %s is %s', (proxy, forwarded, expected) => {
    expect(addressOf(from(proxy, forwarded)).address).toBe(expected)
  })

  it('rejects invalid addresses', () => {
    expect(['10.0.0.0/8', '::/0', '10.0.0.1', '10.0.0.0/33', 'proxy', ''].map(isAddressRange)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    const options = { site: { url: 'http://127.0.0.1:9' }, http: { trustedProxies: ['10.0.0.1', 'proxy.example.org'] } }
    expect(() => createGateway(options)).toThrow(
      '`http.trustedProxies` has `proxy.example.org`, item 2; it must be a list of addresses and networks such as 10.0.0.0/8.',
    )
  })
})
