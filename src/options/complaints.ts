import type { z } from 'zod'
import type { Option } from './option.js'

/** Lists and maps are texts in flags and variables, and have their own types in settings files and programs. */
export type Form = 'text' | 'value'

/** What an option must be, in words. */
export function allowedAs(form: Form, { kind, allowed, secret }: Pick<Option, 'kind' | 'allowed' | 'secret'>): string {
  if (form === 'value') return allowed
  if (secret) return kind === 'list' ? `${allowed}; commas separate them` : allowed
  if (kind === 'list' || kind === 'numbers') return `${allowed}, separated by commas, or \`none\``
  return kind === 'map' ? `${allowed}, or \`none\`` : allowed
}

/** A value for messages: without credentials, and without the query of an address. */
const shown = (value: string): string => `\`${value.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/\?.*/s, '?…')}\``

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `\`${value}\``
  if (Array.isArray(value)) return 'a list'
  return value === undefined ? 'missing' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`
}

const isText = (kind: Option['kind']): boolean => kind.startsWith('text') || kind === 'file'

/** The complaints about a wrong value, as sentences that start with how it was given. `raw` is the value before it was parsed. */
export function complaintsOf(named: string, raw: unknown, form: Form, option: Option, { issues }: z.ZodError): string[] {
  const { hidden, explains, hint, kind } = option
  if (form === 'text' && (raw === true || raw === '')) return [`${named} has no value; it must be ${allowedAs(form, option)}.`]
  if (explains && issues.every(({ code }) => code === 'custom')) return issues.map(({ message }) => `${named}: ${message}`)
  const text = typeof raw === 'string' ? raw : undefined
  const meant = text === undefined || hidden ? undefined : hint?.(text)
  const quotes = form === 'value' && isText(kind) && (typeof raw === 'number' || typeof raw === 'boolean') ? ', in quotes' : ''
  const sentence = `${named} ${foundIn(raw, form, option, issues)}; it must be ${allowedAs(form, option)}${quotes}.`
  return [meant === undefined ? sentence : `${sentence} Did you mean ${shown(meant)}?`]
}

/** What is wrong with a value: the value, or the item of a list. */
function foundIn(raw: unknown, form: Form, { hidden, kind }: Option, issues: readonly z.core.$ZodIssue[]): string {
  if (hidden) return 'is wrong'
  if (typeof raw === 'string') return `is ${form === 'value' && !isText(kind) ? 'the text ' : ''}${shown(raw)}`
  const [place] = issues[0]?.path ?? []
  if (!Array.isArray(raw) || typeof place !== 'number') return `is ${kindOf(raw)}`
  const item: unknown = raw[place]
  return `has ${typeof item === 'string' ? shown(item) : kindOf(item)}, item ${place + 1}`
}
