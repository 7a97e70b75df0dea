import type { DocumentNode, ExecutionResult } from 'graphql'
import type { Keeping, MaxAges } from '../federation/max-ages.js'
import type { Dependencies } from '../upstream/cache/dependencies.js'
import { type AccessOptions, hasAuthentication, type Principal, signInMethods } from './auth/authenticator.js'
import { EXPLAIN_HEADER } from './http/protocol.js'

export interface HttpCachingOptions extends AccessOptions {
  readonly maxAges: MaxAges
  /** Whether only answers to `GET` with trusted documents may be kept. Otherwise all answers, for routers. */
  readonly onlyTrustedGets: boolean
  readonly isTrusted: (document: string) => boolean
  /** Whether any caller may have operations explained. */
  readonly explains: boolean
}

/** Characters of the two headers with tags. Proxies have 16 KB or less for all headers of an answer. */
const MOST_TAGS = 8_000

/** The headers by which routers, CDNs and browsers keep answers. */
export class HttpCaching {
  private readonly isOpen: boolean
  /** Request headers on which answers depend, apart from `Origin`. */
  private readonly vary: string

  constructor(private readonly options: HttpCachingOptions) {
    this.isOpen = !hasAuthentication(options)
    this.vary = [
      'accept',
      'accept-encoding',
      'authorization',
      ...(signInMethods(options).includes('apiKey') ? ['x-api-key'] : []),
      ...(options.site.forwardCookie ? ['cookie', 'x-wp-nonce'] : []),
      ...(options.explains ? [EXPLAIN_HEADER] : []),
    ].join(', ')
  }

  /** How the answer to a request may be kept. Undefined when it gets no headers. `text` is the document, and `isGet` the method. */
  keepingOf(
    text: unknown,
    document: DocumentNode,
    operationName: string | null,
    principal: Principal,
    isGet: boolean,
  ): Keeping | undefined {
    const { maxAges, onlyTrustedGets, isTrusted } = this.options
    if (onlyTrustedGets && !(isGet && typeof text === 'string' && isTrusted(text))) return undefined
    const { seconds, isPrivate } = maxAges.ofOperation(document, operationName)
    // Proxies tell visitors from callers with a key or token by `Vary`, which answers to `GET` have.
    const isEverybodys = principal.role === 'visitor' ? principal.as === undefined && isGet : this.isOpen && principal.credentials.anonymous
    return { seconds, isPrivate: isPrivate || !isEverybodys }
  }

  /**
   * Adds the headers to a result. Answers with errors, explanations or stale data may not be kept. `dependencies` are those of a public
   * answer.
   */
  mark(result: ExecutionResult, { seconds, isPrivate }: Keeping, dependencies: Dependencies | undefined, isGet: boolean): ExecutionResult {
    const { errors, extensions } = result
    const isKept =
      seconds > 0 && !errors && Object.keys(extensions ?? {}).length === 0 && (dependencies === undefined || dependencies.areCurrent)
    const headers = isKept
      ? {
          'cache-control': `${isPrivate ? 'private' : 'public'}, max-age=${seconds}`,
          ...(isGet && { vary: this.vary }),
          ...tagHeaders(dependencies?.tagsWithin(MOST_TAGS / 2) ?? []),
        }
      : { 'cache-control': 'no-store' }
    const http = extensions?.http as { readonly headers?: object } | undefined
    return { ...result, extensions: { ...extensions, http: { ...http, headers: { ...http?.headers, ...headers } } } }
  }
}

/** `Cache-Tag` for Cloudflare and Netlify; `Surrogate-Key` for Fastly and Varnish. */
const tagHeaders = (tags: readonly string[]): Readonly<Record<string, string>> =>
  tags.length === 0 ? {} : { 'cache-tag': tags.join(','), 'surrogate-key': tags.join(' ') }
