export interface CorsOptions {
  /** Origins, such as `https://app.example.org`, or `*` for all. None by default. */
  readonly origins: readonly string[]
  /** Whether browsers may send cookies from these origins; never from all. */
  readonly credentials: boolean
}

type Headers = Readonly<Record<string, string>>

/** The CORS headers for pages of other origins. */
export class Cors {
  private readonly all: boolean
  private readonly origins: ReadonlySet<string>

  constructor(private readonly options: CorsOptions) {
    this.all = options.origins.includes('*')
    this.origins = new Set(options.origins)
  }

  /** Headers of every answer. */
  headersFor(origin: string | null | undefined): Headers {
    if (this.origins.size === 0) return NO_HEADERS
    if (this.all) return ALL
    if (origin === null || origin === undefined || !this.origins.has(origin)) return VARY
    return { ...VARY, ...this.allowing(origin) }
  }

  /** Headers of the answer to a preflight; `wanted` are the headers of the request that will follow. */
  preflight(origin: string | null, wanted: string | null): Headers {
    const headers = this.headersFor(origin)
    if (headers['access-control-allow-origin'] === undefined) return headers
    const names = wanted !== null && HEADER_NAMES.test(wanted) ? wanted : 'content-type'
    return {
      ...headers,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': names,
      'access-control-max-age': '7200',
    }
  }

  private allowing(origin: string): Headers {
    const headers = { 'access-control-allow-origin': origin, ...EXPOSED }
    return this.options.credentials ? { ...headers, 'access-control-allow-credentials': 'true' } : headers
  }
}

const EXPOSED: Headers = { 'access-control-expose-headers': 'retry-after, www-authenticate, x-request-id' }
/** For gateways that allow no other origin. */
export const NO_HEADERS: Headers = {}
const VARY: Headers = { vary: 'origin' }
const ALL: Headers = { 'access-control-allow-origin': '*', ...EXPOSED }
const HEADER_NAMES = /^[\w-]+(, ?[\w-]+){0,50}$/
