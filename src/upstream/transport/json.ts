const BOM = '\uFEFF'

/** The JSON of a body, or `undefined`. Tolerates a byte order mark and text, such as PHP warnings, on lines before the JSON; then `onMend` is called. */
export function parseBody(body: Buffer, onMend: () => void = () => {}): unknown {
  const text = body.toString('utf8')
  const value = parse(text)
  if (value !== undefined) return value
  const bare = text.startsWith(BOM) ? text.slice(1) : text
  const start = bare.search(/^[ \t]*[[{]/m)
  const found = start < 0 ? undefined : parse(bare.slice(start))
  if (found !== undefined) onMend()
  return found
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
