type Headers = Record<string, unknown>

/** Returns the `Authorization` header in the text of the headers editor, or undefined if it is missing or the text is invalid. */
export function authorizationOf(text: string | null | undefined): string | undefined {
  const [, value] = Object.entries(readHeaders(text)).find(([name]) => isAuthorization(name)) ?? []
  return typeof value === 'string' ? value : undefined
}

/** Replaces or removes the `Authorization` header in the text of the headers editor. Keeps other headers. */
export function withAuthorization(text: string | null | undefined, value: string | undefined): string {
  const others = Object.entries(readHeaders(text)).filter(([name]) => !isAuthorization(name))
  const headers = value === undefined ? others : [['Authorization', value], ...others]
  return headers.length === 0 ? '' : JSON.stringify(Object.fromEntries(headers), null, 2)
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === 'authorization'
}

function readHeaders(text: string | null | undefined): Headers {
  try {
    const headers: unknown = JSON.parse(text || '{}')
    return typeof headers === 'object' && headers !== null && !Array.isArray(headers) ? (headers as Headers) : {}
  } catch {
    return {}
  }
}
