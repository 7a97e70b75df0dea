import { type HttpHeaders, mergedHeaders } from './headers.js'

/** Says whether a caller may have operations explained: nobody may, or everybody except the callers that the gateway has refused. */
export class ExplainAccess {
  /** The headers of refused callers. They stay in the memory of the page. */
  private readonly refused = new Set<string>()

  constructor(private readonly explains: boolean) {}

  /** Whether a request with these headers may ask for an explanation. */
  allows(headers: HttpHeaders): boolean {
    return this.explains && !this.refused.has(keyOf(headers))
  }

  /** Remembers that the gateway explains nothing to the sender of these headers. */
  refuse(headers: HttpHeaders): void {
    this.refused.add(keyOf(headers))
  }
}

/** Whether a result says that the caller may not have operations explained. Such a request has run nothing. */
export function isForbidden(result: unknown): boolean {
  const { data, errors } = (result ?? {}) as { data?: unknown; errors?: { extensions?: { code?: unknown } }[] }
  return data === undefined && errors?.length === 1 && errors[0]?.extensions?.code === 'FORBIDDEN'
}

const keyOf = (headers: HttpHeaders): string => JSON.stringify(mergedHeaders(headers))
