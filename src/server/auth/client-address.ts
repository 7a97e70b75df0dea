import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'

/** Loopback, private and link-local addresses. */
const PRIVATE_RANGES = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '::1', 'fc00::/7', 'fe80::/10']

/** Returns whether an address is in one of the ranges. */
export function inRanges(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number.parseInt(bits, 10), family)
  }
  return (address) => address !== '' && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

const isPrivate = inRanges(PRIVATE_RANGES)

/** Whether a request comes from a proxy: a private address that names its client in `X-Forwarded-For`. */
export const isProxied = (address: string, forwarded: string | string[] | undefined): boolean =>
  forwarded !== undefined && isIP(addressIn(String(forwarded).split(',')[0])) !== 0 && isPrivate(address)

/** Where a request comes from. */
export interface Peer {
  /** The address of the client; `''` if unknown. */
  readonly client: string
  /** Whether a trusted proxy has sent the request, so that its id and its trace context are taken. */
  readonly isTrusted: boolean
  /** Whether the address is that of a proxy that is not trusted; see `isProxied`. */
  readonly isProxied: boolean
}

/**
 * Returns where a request comes from. The address of the client is that of the connection or, when that is a trusted proxy, the last one in
 * `X-Forwarded-For` that is not.
 */
export function peers(trusted: readonly string[]): (request: IncomingMessage) => Peer {
  const isProxy = trusted.length === 0 ? () => false : inRanges(trusted)
  return ({ socket, headers }) => {
    const given = headers['x-forwarded-for']
    let client = plainAddress(socket.remoteAddress ?? '')
    if (!isProxy(client)) return { client, isTrusted: false, isProxied: isProxied(client, given) }
    const forwarded = String(given ?? '').split(',')
    for (let at = forwarded.length - 1; at >= 0; at--) {
      const address = addressIn(forwarded[at])
      // Addresses further to the left were not written by a trusted proxy.
      if (isIP(address) === 0) break
      client = address
      if (!isProxy(client)) break
    }
    return { client, isTrusted: true, isProxied: false }
  }
}

/** `[2001:db8::1]:443` or `192.0.2.1:443`. */
const PORT = /^(?:\[([\da-f:.]{2,45})\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/i

/** The address in an item of `X-Forwarded-For`, without its port. */
const addressIn = (item = ''): string => plainAddress(item.trim().replace(PORT, '$1$2'))

/** Dual-stack sockets have IPv6 addresses for IPv4 clients. */
export const plainAddress = (address: string): string => (/^::ffff:\d{1,3}\./i.test(address) ? address.slice('::ffff:'.length) : address)

/** The range that one client usually has: an IPv4 address, or a /64 network of IPv6. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const plain = plainAddress(address)
  if (!plain.includes(':')) return plain
  const [head = '', tail] = (plain.split('%')[0] as string).toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':')
    // An IPv4 address at the end counts as two groups.
    const count = groups.length + last.length + (last.at(-1)?.includes('.') ? 1 : 0)
    groups.push(...new Array<string>(Math.max(8 - count, 0)).fill('0'), ...last)
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
