import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Plugin } from 'graphql-yoga'
import { ENDPOINT } from '../protocol.js'
import type { RequestContext } from './use-authentication.js'

/** A user whom the page offers to sign in as. */
export interface GraphiQLUser {
  login: string
  name: string
  role: string
  /** The whole value of the `Authorization` header. */
  authorization: string
}

/** Settings of `useGraphiQL`. */
export interface GraphiQLOptions {
  /** The demo users of the embedded LMS; none for real sites. Everybody who opens the page receives them. */
  users: readonly GraphiQLUser[]
  /** Folder of the built page (default: `dist/graphiql` of this package). */
  directory?: URL | string
}

interface Asset {
  /** The bytes without compression. */
  plain(): Bytes | Promise<Bytes>
  /** The bytes as gzip, for files that the build has compressed. */
  gzip: Bytes | undefined
  type: string
  etag: string
}

type Bytes = Uint8Array<ArrayBuffer>

const BASE = '/graphiql'

// Media types of the endpoint.
const DATA_TYPES = /^(?:application\/(?:json|graphql-response\+json)|multipart\/mixed|text\/event-stream)$/

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
 * Serves GraphiQL: the page to browsers that open `/graphql`, its files under `/graphiql/assets/`, and `/graphiql/config.json` with the
 * endpoint and the users of the page. Answers 503 until the page is built.
 */
export function useGraphiQL({
  users,
  directory = new URL('../../../../dist/graphiql/', import.meta.url),
}: GraphiQLOptions): Plugin<{}, RequestContext> {
  const config = toAsset('config.json', Buffer.from(JSON.stringify({ endpoint: ENDPOINT, users })))
  const built = once(() => readBuilt(directory))

  const respond = async (request: Request, pathname: string): Promise<Answer> => {
    if (pathname === BASE || pathname === `${BASE}/`) return { status: 302, headers: { location: ENDPOINT } }
    if (pathname === `${BASE}/config.json`) return sendAsset(request, config, { 'cache-control': 'no-store' })
    const files = await built()
    if (!files) return sendText(503, 'The GraphiQL page is not built. Run: npm run build:graphiql')
    const isPage = pathname === ENDPOINT
    const asset = files.get(isPage ? 'index.html' : pathname.slice(BASE.length + 1))
    if (!asset || !(isPage || pathname.startsWith(`${BASE}/assets/`))) return sendText(404, `GraphiQL has no file ${pathname}`)
    return sendAsset(request, asset, isPage ? PAGE_HEADERS : ASSET_HEADERS)
  }

  return {
    // Not async: POST requests, which are operations, need no promise.
    onRequest({ request, url, serverContext, endResponse, fetchAPI: { Response } }) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return
      const { pathname } = url
      const isOurs =
        pathname === ENDPOINT ? prefersHtml(request.headers.get('accept')) : pathname === BASE || pathname.startsWith(`${BASE}/`)
      if (!isOurs) return
      if (serverContext.trace) serverContext.trace.isPage = true
      return respond(request, pathname).then(({ status, headers, body = '' }) => {
        const always = { 'content-length': String(Buffer.byteLength(body)), 'x-content-type-options': 'nosniff' }
        const sent = request.method === 'HEAD' || status === 304 ? null : body
        endResponse(new Response(sent, { status, headers: { ...(status !== 304 && always), ...headers } }))
      })
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

async function sendAsset(request: Request, { plain, gzip, type, etag }: Asset, extra: Record<string, string>): Promise<Answer> {
  const caching = { etag, vary: 'accept-encoding', ...extra }
  if (request.headers.get('if-none-match')?.includes(etag)) return { status: 304, headers: caching }
  const headers = { 'content-type': type, ...caching }
  const zipped = gzip && /\bgzip\b(?!\s*;\s*q=0)/i.test(request.headers.get('accept-encoding') ?? '')
  if (zipped) return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzip }
  return { status: 200, headers, body: await plain() }
}

/** Whether a client prefers HTML to the media types of the endpoint. */
function prefersHtml(accept: string | null): boolean {
  let html = 0
  let data = 0
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    if (type === 'text/html') html = quality
    else if (DATA_TYPES.test(type)) data = Math.max(data, quality)
  }
  return html > data
}

/** Reads the built files by their path: no other file can be requested. Undefined when there is no build. */
async function readBuilt(directory: URL | string): Promise<ReadonlyMap<string, Asset> | undefined> {
  const root = typeof directory === 'string' ? directory : fileURLToPath(directory)
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const assets = await Promise.all(
    paths.map(async (path) => {
      const name = relative(root, path).replaceAll(sep, '/')
      const bytes = await readFile(path)
      return name.endsWith('.gz')
        ? ([name.slice(0, -3), zippedAsset(name.slice(0, -3), bytes)] as const)
        : ([name, toAsset(name, bytes)] as const)
    }),
  )
  const files = new Map(assets)
  return files.has('index.html') ? files : undefined
}

const toAsset = (name: string, bytes: Bytes): Asset => ({ ...describe(name, bytes), plain: () => bytes, gzip: undefined })

/** A file that the build has compressed. It is decompressed once, when the first client does not accept gzip. */
function zippedAsset(name: string, gzip: Bytes): Asset {
  const plain = once(async () => (await promisify(gunzip)(gzip)) as Bytes)
  return { ...describe(name, gzip), plain: async () => (await plain()) as Bytes, gzip }
}

/** The media type of a file, and its tag: weak, because it is the same for both encodings. */
const describe = (name: string, bytes: Bytes): Pick<Asset, 'type' | 'etag'> => ({
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
})

/** Calls `read` once and keeps its result, unless it fails or finds nothing. */
function once<T>(read: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let pending: Promise<T | undefined> | undefined
  const forget = () => {
    pending = undefined
  }
  return () => {
    if (!pending) {
      pending = read()
      pending.then((found) => found ?? forget(), forget)
    }
    return pending
  }
}
