const RESPONSE = 'application/graphql-response+json'
export const JSON_TYPE = 'application/json'
/** Yoga answers in these where a client takes nothing else. */
export const STREAMS: readonly string[] = ['multipart/mixed', 'text/event-stream']

/** What a client may be answered in, in words. */
export const OFFERED_TYPES = `${RESPONSE} or ${JSON_TYPE}`

/** The type to answer in, of those a client takes the one it likes best and, of equals, names first. Undefined when there is none. */
export function answerType(accept: string | null): string | undefined {
  if (accept === null) return RESPONSE
  if (accept === JSON_TYPE) return JSON_TYPE
  let best: string | undefined
  let most = 0
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const offered = OFFERED.get(type)
    const quality = Number.parseFloat(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1')
    const charset = parameters.find((parameter) => parameter.startsWith('charset=')) ?? UTF8
    if (offered === undefined || charset !== UTF8 || !(quality > most)) continue
    best = offered
    most = quality
  }
  return best
}

/** Whether a body is JSON by its `Content-Type`, which is the only kind a web page can't send to a stranger without being asked first. */
export function isJsonType(type: string | null | undefined): boolean {
  if (type === JSON_TYPE) return true
  const [essence = '', ...parameters] = (type ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (essence !== JSON_TYPE) return false
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset)
}

/** Whether a body is as it is, by its `Content-Encoding`. */
export const isPlain = (encoding: string | null | undefined): boolean => !encoding || encoding.toLowerCase() === 'identity'

/** The value of a JSON text, which may have a byte order mark; nothing for what is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

const UTF8 = 'charset=utf-8'

/** Who takes anything gets what everybody reads. */
const OFFERED: ReadonlyMap<string, string> = new Map([
  [RESPONSE, RESPONSE],
  [JSON_TYPE, JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ...STREAMS.map((type) => [type, type] as const),
])
