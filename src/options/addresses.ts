import { isIP } from 'node:net'
import { works } from '../maps.js'

/** Whether a value is an http or https address without user and password. */
export const isWebAddress = (value: unknown): boolean => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** The address that was probably meant by a host name without a protocol. */
export function addressHint(text: string): string | undefined {
  const address = `${/^(localhost|127\.)/.test(text) ? 'http' : 'https'}://${text}`
  return /^[\w-]+(\.[\w-]+)*(:\d+)?(\/[^@?#]*)?$/.test(text) && isWebAddress(address) ? address : undefined
}

/** Whether a text is the address of a REST root: a path, or a query with the route. */
export function isRestRoot(text: string): boolean {
  if (!isWebAddress(text)) return false
  const { hash, searchParams } = new URL(text)
  const [route, ...others] = [...searchParams]
  return hash === '' && others.length === 0 && (route === undefined || (route[0] === 'rest_route' && /^\/?$/.test(route[1])))
}

/** The normal form of such an address. */
export function restRoot(text: string): string {
  const { origin, pathname, searchParams } = new URL(text)
  return searchParams.has('rest_route') ? `${origin}${pathname}?rest_route=` : `${origin}${pathname}`.replace(/\/+$/, '')
}

/** Whether a text is an origin as browsers write it: scheme, host and port. */
export const isOrigin = (text: string): boolean => /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** Whether a text is an address or a network: `10.0.0.1`, `10.0.0.0/8`, `2001:db8::/32`. */
export const isAddressRange = (text: string): boolean => {
  const [address = '', bits, ...others] = text.split('/')
  const version = isIP(address)
  if (version === 0 || others.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number.parseInt(bits, 10) <= (version === 4 ? 32 : 128))
}

/** Whether a text is the address of a Redis: without parameters, which would be options of the client. */
export function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text)
  return (
    /^rediss?:$/.test(protocol) &&
    hostname !== '' &&
    /^\/?\d{0,5}$/.test(pathname) &&
    search + hash === '' &&
    isEncoded(username + password)
  )
}

/** The address of a proxy in full: other programs accept it without a scheme. */
export const proxyUrl = (text: string): string => (text.includes('://') ? text : `http://${text}`)

/** Whether a text is the address of a proxy, which may have a user and password. */
export function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, search, hash, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && pathname + search + hash === '/' && isEncoded(username + password)
}

const isEncoded = (text: string): boolean => works(() => decodeURIComponent(text))

export const HOST_NAME = /^[\w.:-]+$/

/** Whether a text is a path that begins with `/` and does not end with it, as `URL` writes it. */
export const isPath = (text: string): boolean =>
  /^\/(?!\/)/.test(text) &&
  (text === '/' || !text.endsWith('/')) &&
  URL.canParse(`http://localhost${text}`) &&
  new URL(`http://localhost${text}`).pathname === text

/** This machine, as `URL` writes it: `127.1` and other spellings are in this form. Other names that may mean it could be asked of a name server. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/

/** Whether an address is on this machine. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(new URL(address).hostname)

/** Whether an address is http and not on this machine, so that others on the way can read and change what is sent. */
export const isPlainHttp = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  return new URL(address).protocol === 'http:' && !isLoopback(address)
}
