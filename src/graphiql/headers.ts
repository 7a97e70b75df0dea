import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'

/** HTTP headers of a request. */
export type HttpHeaders = Readonly<Record<string, string>>

/** Sends a GraphQL request. With this media type, errors of GraphQL have the status 200: the browser writes other ones to its console. */
export const post = (url: string, headers: HttpHeaders, body: object, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  })

/**
 * The headers in the text of the headers editor whose values are texts, with names in lower case. Undefined if GraphiQL cannot read the text
 * either, which may have comments and trailing commas.
 */
export function headersIn(text: string | null | undefined): HttpHeaders | undefined {
  const headers = objectIn(text)
  return headers && mergedHeaders({}, headers)
}

/** The headers of a request, with names in lower case: those of the page, and those of the tab, which take precedence. */
export function mergedHeaders(page: HttpHeaders, tab: Readonly<Record<string, unknown>> = {}): HttpHeaders {
  const both = [...Object.entries(page), ...Object.entries(tab)].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(both.map(([name, value]) => [name.toLowerCase(), value]))
}

/** Replaces or removes the `Authorization` header in the text of the headers editor. Keeps everything else, and texts that cannot be read. */
export function withAuthorization(text: string | null | undefined, value: string | undefined): string {
  const headers = objectIn(text)
  if (!headers) return text ?? ''
  const names = Object.keys(headers)
  if (names.every(isAuthorization)) return value === undefined ? '' : JSON.stringify({ Authorization: value }, null, 2)
  const others = names.filter(isAuthorization).reduce(without, text ?? '')
  return value === undefined
    ? others
    : applyEdits(others, modify(others, ['Authorization'], value, { ...FORMAT, getInsertionIndex: () => 0 }))
}

/** The object in the text of an editor for JSON with comments, as GraphiQL reads it: empty without a value. Undefined if it is no object. */
export function objectIn(text: string | null | undefined): Record<string, unknown> | undefined {
  const errors: ParseError[] = []
  const value: unknown = parse(text ?? '', errors, { allowTrailingComma: true, allowEmptyContent: true }) ?? {}
  return errors.length === 0 && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } }

const isAuthorization = (name: string): boolean => name.toLowerCase() === 'authorization'

/** The text of an object without a member. A name that occurs twice is removed twice. */
function without(text: string, name: string): string {
  const rest = applyEdits(text, modify(text, [name], undefined, FORMAT))
  return Object.hasOwn(objectIn(rest) ?? {}, name) ? without(rest, name) : rest
}
