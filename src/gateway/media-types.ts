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
    const offered = OFFERED[type]
    const quality = Number.parseFloat(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1')
    const charset = parameters.find((parameter) => parameter.startsWith('charset=')) ?? UTF8
    if (offered === undefined || charset !== UTF8 || !(quality > most)) continue
    best = offered
    most = quality
  }
  return best
}

const UTF8 = 'charset=utf-8'

/** Who takes anything gets what everybody reads. */
const OFFERED: Readonly<Record<string, string>> = {
  [RESPONSE]: RESPONSE,
  [JSON_TYPE]: JSON_TYPE,
  'application/*': JSON_TYPE,
  '*/*': JSON_TYPE,
  ...Object.fromEntries(STREAMS.map((type) => [type, type])),
}
