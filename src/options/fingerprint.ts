import { createHash } from 'node:crypto'
import { Secret } from './secret.js'
import { ENTRIES, type Options } from './table.js'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the same text for equal values, also with secrets, whose text it does not reveal. */
export const fingerprint = (value: unknown): string =>
  hash(JSON.stringify(value, (_, each: unknown) => (each instanceof Map ? [...each] : each), 0) + secretsIn(value).join('\n'))

/** The secrets in a value, in order. In JSON they are all the same. */
function secretsIn(value: unknown): string[] {
  if (value instanceof Secret) return [value.reveal()]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : []
}

/** The hash of options without secrets: operators compare gateways by it. Without the ports, of which each process of a machine has its own. */
export function publicHash({ http, observe, ...others }: Options): string {
  const { host, port, ...ofHttp } = http
  const { metrics, ...ofObserve } = observe
  return hash(JSON.stringify([others, ofHttp, ofObserve])).slice(0, 12)
}

/** The paths of entries whose values differ. */
export const differing = (one: Options, other: Options): string[] =>
  ENTRIES.flatMap(({ area, name, path }) => {
    const [before, after] = [one, other].map((options) => (options[area as keyof Options] as Readonly<Record<string, unknown>>)[name])
    return fingerprint([before]) === fingerprint([after]) ? [] : [path]
  })
