import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Plugin } from 'graphql-yoga'
import type { ShownOperation } from '../../../operations/trusted.js'
import type { SignInMethod } from '../../auth/authenticator.js'
import { preferredEncoding, prefersHtml } from '../media-types.js'
import { ENDPOINT, pathBelow } from '../protocol.js'
import type { RequestContext } from './use-authentication.js'

/** A user whom the page offers to sign in as. */
export interface GraphiQLUser {
  login: string
  name: string
  role: string
  /** The whole value of the `Authorization` header. */
  authorization: string
}

/** What the page knows of the gateway: `graphiql/config.json`. Everybody who opens the page receives it. */
export interface GraphiQLConfig {
  /** The demo users of the embedded LMS; none for real sites. */
  users: readonly GraphiQLUser[]
  /** Whether the gateway is in front of the embedded LMS, whose sample records are known. */
  embedded: boolean
  /** Whether anybody may have operations explained. */
  explain: boolean
  /** Credentials that the gateway takes from callers. */
  signIn: readonly SignInMethod[]
  /** REST calls that one operation may make. */
  maxCalls: number
}

/** Settings of `useGraphiQL`. */
export interface GraphiQLOptions {
  config: GraphiQLConfig
  /** The operations of the collection: `graphiql/operations.json`. */
  operations(): readonly ShownOperation[]
  /** Folder of the built page (default: `dist/graphiql` of this package). */
  directory?: URL | string
}

interface Asset {
  readonly name: string
  /** The bytes without compression. Those of compressed files are made when the first client does not accept gzip. */
  plain(): Bytes
  /** The bytes as gzip, for files that the build has compressed. */
  gzip: Bytes | undefined
  type: string
  etag: string
}

type Bytes = Uint8Array<ArrayBuffer>

const BASE = '/graphiql'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    // Monaco writes its colours and measures into style elements and attributes.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  vary: 'accept, accept-encoding',
}

// The names of built files hold a hash of their content.
const ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

/**
 * Serves GraphiQL: the page to browsers that open the endpoint, and below it, in `graphiql/`, its assets, `config.json` and `operations.json`.
 * All links of the page are relative, so that proxies and frameworks may strip a prefix from paths. Answers 503 until the page is built.
 */
export function useGraphiQL({ config, operations, directory = pageFolder() }: GraphiQLOptions): Plugin<{}, RequestContext> {
  const configFile = toAsset('config.json', Buffer.from(JSON.stringify(config)))
  let collection: Asset | undefined
  let built: ReadonlyMap<string, Asset> | undefined
  let page: { readonly base: string; readonly asset: Asset } | undefined

  /** The page with links to its files, which are below the last segment of `pathname`. */
  const pageAt = (pathname: string, html: Asset): Asset => {
    const segment = pathname.slice(pathname.lastIndexOf('/') + 1).replaceAll('&', '&amp;')
    const base = segment === '' ? '"./graphiql/' : `"./${segment}/graphiql/`
    if (page?.base !== base) {
      const body = Buffer.from(Buffer.from(html.plain()).toString('utf8').replaceAll('"./', base))
      page = { base, asset: toAsset('index.html', body) }
    }
    return page.asset
  }

  const respond = (request: Request, pathname: string, path: string, endpoint: string): Answer => {
    if (path === BASE || path === `${BASE}/`) return { status: 302, headers: { location: endpoint } }
    if (path === `${BASE}/config.json`) return sendAsset(request, configFile, { 'cache-control': 'no-store' })
    if (path === `${BASE}/operations.json`) {
      collection ??= toAsset('operations.json', Buffer.from(JSON.stringify({ operations: operations() })))
      return sendAsset(request, collection, { 'cache-control': 'no-cache' })
    }
    built ??= readBuilt(directory)
    if (!built) return sendText(503, 'The GraphiQL page is not built. Run: npm run build:graphiql')
    if (path === '') return sendAsset(request, pageAt(pathname, built.get('index.html') as Asset), PAGE_HEADERS)
    const asset = path.startsWith(`${BASE}/assets/`) ? built.get(path.slice(BASE.length + 1)) : undefined
    return asset ? sendAsset(request, asset, ASSET_HEADERS) : sendText(404, `GraphiQL has no file ${pathname}`)
  }

  return {
    onRequest({ request, url, serverContext, endResponse, fetchAPI: { Response } }) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return
      const { pathname } = url
      const endpoint = serverContext.state?.endpoint ?? ENDPOINT
      const path = pathBelow(endpoint, pathname)
      const isOurs = path === '' ? prefersHtml(request.headers.get('accept')) : path === BASE || path?.startsWith(`${BASE}/`)
      if (path === undefined || !isOurs) return
      if (serverContext.state) serverContext.state.isPage = true
      const { status, headers, body = '' } = respond(request, pathname, path, endpoint)
      const always = { 'content-length': String(Buffer.byteLength(body)), 'x-content-type-options': 'nosniff' }
      const sent = request.method === 'HEAD' || status === 304 ? null : body
      endResponse(new Response(sent, { status, headers: { ...(status !== 304 && always), ...headers } }))
    },
  }
}

interface Answer {
  status: number
  headers: Record<string, string>
  body?: Bytes | string
}

function sendText(status: number, message: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }, body: `${message}\n` }
}

function sendAsset(request: Request, { plain, gzip, type, etag }: Asset, extra: Record<string, string>): Answer {
  const caching = { etag, vary: 'accept-encoding', ...extra }
  if (request.headers.get('if-none-match')?.includes(etag)) return { status: 304, headers: caching }
  const headers = { 'content-type': type, ...caching }
  if (gzip && preferredEncoding(request.headers.get('accept-encoding'), ['gzip']))
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzip }
  return { status: 200, headers, body: plain() }
}

/** The folder `dist/graphiql` of this package: this module is in `src`, in `dist`, or in a bundle somewhere below `dist`. */
function pageFolder(): string {
  const start = dirname(import.meta.url.startsWith('file:') ? fileURLToPath(import.meta.url) : '.')
  for (let folder = start; ; folder = dirname(folder)) {
    const built = join(folder, 'dist', 'graphiql')
    if (folder === dirname(folder) || existsSync(built)) return built
  }
}

/** Reads the built files by their path: no other file can be requested. Undefined when there is no build. */
function readBuilt(directory: URL | string): ReadonlyMap<string, Asset> | undefined {
  const root = typeof directory === 'string' ? directory : fileURLToPath(directory)
  if (!existsSync(join(root, 'index.html')) && !existsSync(join(root, 'index.html.gz'))) return undefined
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const assets = files.map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(root, path).replaceAll(sep, '/')
    return name.endsWith('.gz') ? zippedAsset(name.slice(0, -3), readFileSync(path)) : toAsset(name, readFileSync(path))
  })
  return new Map(assets.map((asset) => [asset.name, asset]))
}

const toAsset = (name: string, bytes: Bytes): Asset => ({ ...describe(name, bytes), plain: () => bytes, gzip: undefined })

/** A file that the build has compressed. */
function zippedAsset(name: string, gzip: Bytes): Asset {
  let plain: Bytes | undefined
  return { ...describe(name, gzip), plain: () => (plain ??= gunzipSync(gzip)), gzip }
}

/** The media type of a file, and its tag: weak, because it is the same for both encodings. */
const describe = (name: string, bytes: Bytes): Pick<Asset, 'name' | 'type' | 'etag'> => ({
  name,
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
})
