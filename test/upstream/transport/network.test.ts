import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/options/secret.js'
import { Network } from '../../../src/upstream/transport/network.js'

/** Whether calls to an http address go through a proxy. */
const isProxied = (address: string, ...noProxy: string[]): boolean =>
  new Network({ httpProxy: new Secret('proxy.test:3128'), noProxy }).route(new URL(address).origin, { connectTimeout: 1_000 })
    .proxyHeaders !== undefined

describe('hosts that are called without a proxy', () => {
  it.each<[entry: string, direct: string[], proxied: string[]]>([
    [
      'school.test',
      ['http://school.test', 'http://www.school.test', 'http://school.test:8080', 'http://SCHOOL.test'],
      ['http://myschool.test'],
    ],
    ['.school.test', ['http://school.test', 'http://a.b.school.test'], ['http://school.test.example']],
    ['*.school.test', ['http://school.test', 'http://a.school.test'], ['http://school.example']],
    ['School.Test:8080', ['http://www.school.test:8080'], ['http://school.test', 'http://school.test:80', 'http://school.test:8081']],
    ['school.test:80', ['http://school.test'], ['http://school.test:8080']],
    ['10.0.0.7', ['http://10.0.0.7:8080'], ['http://10.0.0.70', 'http://110.0.0.7']],
    ['[2001:db8::7]', ['http://[2001:db8::7]:8080'], ['http://[2001:db8::8]']],
    ['2001:DB8:0::7', ['http://[2001:db8::7]:8080'], ['http://[2001:db8::8]', 'http://[2001:db8::]:7']],
    ['fe80::7%eth0', [], ['http://[fe80::7]']],
    ['[2001:db8::7]:8080', ['http://[2001:db8::7]:8080'], ['http://[2001:db8::7]']],
    ['*', ['http://school.test', 'http://10.0.0.7'], []],
    ['', [], ['http://school.test']],
    ['.', [], ['http://school.test']],
  ])('%j', (entry, direct, proxied) => {
    expect(direct.filter((address) => isProxied(address, entry))).toEqual([])
    expect(proxied.filter((address) => !isProxied(address, 'other.test', entry))).toEqual([])
  })

  it('are always those of this machine', () => {
    const own = ['http://localhost:1', 'http://127.0.0.1', 'http://127.9.9.9:80', 'http://[::1]:4001']
    expect(own.filter((address) => isProxied(address))).toEqual([])
    expect(isProxied('http://localhost.example')).toBe(true)
  })
})
