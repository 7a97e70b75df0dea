const BOM = '\uFEFF'

/** The JSON of a body, or `undefined`. Tolerates a byte order mark and text, such as PHP warnings, on lines before the JSON. */
export function parseBody(body: Buffer): unknown {
  const text = body.toString('utf8')
  const value = parse(text)
  if (value !== undefined) return value
  const start = (text.startsWith(BOM) ? text.slice(1) : text).search(/^\s*[[{]/m)
  return start < 0 ? undefined : parse((text.startsWith(BOM) ? text.slice(1) : text).slice(start))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
