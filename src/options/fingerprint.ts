import { hash } from 'node:crypto'
import { isObject } from '../maps.js'
import { Secret } from './secret.js'
import { ENTRIES, type Options } from './table.js'

/** JSON with the members of objects and maps in the order of their names, so that equal values have the same text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => {
    if (each === undefined) return UNSET
    const entries = each instanceof Map ? [...each] : isObject(each) ? Object.entries(each) : undefined
    return entries === undefined ? each : Object.fromEntries(entries.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)))
  })

/** Stands for undefined, which JSON turns into null. */
const UNSET = '\u0000'

/** Returns the same text for equal values, also with secrets, whose text it does not reveal. */
export const fingerprint = (value: unknown): string => hash('sha256', canonical(value) + secretsIn(value).join('\n'))

/** The secrets in a value, in order. In JSON they are all the same. */
function secretsIn(value: unknown): string[] {
  if (value instanceof Secret) return [value.reveal()]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : []
}

/**
 * The hash of options and trusted documents, without secrets: operators compare gateways by it. Leaves out hosts, ports and names of files, because
 * they differ between processes.
 */
export function publicHash({ http, observe, ...others }: Options, documents: ReadonlyMap<string, string>): string {
  const { host, port, operations, ...ofHttp } = http
  const { metrics, ...ofObserve } = observe
  return hash('sha256', canonical([others, ofHttp, ofObserve, [...documents.keys()].sort()])).slice(0, 12)
}

/** The paths of entries whose values differ. */
export const differing = (one: Options, other: Options): string[] =>
  ENTRIES.flatMap(({ area, name, path }) => {
    const [before, after] = [one, other].map((options) => (options[area as keyof Options] as Readonly<Record<string, unknown>>)[name])
    return fingerprint([before]) === fingerprint([after]) ? [] : [path]
  })
