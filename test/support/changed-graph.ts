import { buildASTSchema, parse, printSchema, visit } from 'graphql'
import { graphSchema } from '../../src/index.js'

/** The graph as SDL without descriptions: each field and each member on a line of its own. */
export const GRAPH: string = printSchema(
  buildASTSchema(
    visit(parse(printSchema(graphSchema())), {
      enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
    }),
    {
      assumeValid: true,
    },
  ),
)

/** A change of SDL. */
export type Change = (sdl: string) => string

/** The changes one after the other. */
export const all =
  (...changes: readonly Change[]): Change =>
  (sdl) =>
    changes.reduce((changed, change) => change(changed), sdl)

/** Replaces a text in SDL. Throws where there is none. */
export const replaced =
  (from: RegExp | string, to: string): Change =>
  (sdl) => {
    const changed = typeof from === 'string' ? sdl.replaceAll(from, to) : sdl.replace(from, to)
    if (changed === sdl) throw new Error(`Nothing to change: ${from}`)
    return changed
  }

/** Replaces a text in the definition of a type. */
export const inType =
  (name: string, from: RegExp | string, to: string): Change =>
  (sdl) =>
    sdl.replace(new RegExp(`^(type|interface|input|enum|union) ${name}\\b[^]*?(?=\\n\\n|$(?![^]))`, 'm'), replaced(from, to))

/** Removes a field or a value. */
export const without = (type: string, member: string): Change => inType(type, new RegExp(`\\n  ${member}\\b.*`), '')

/** Adds a line to a type. */
export const withLine = (type: string, line: string): Change => inType(type, /\n}$/, `\n  ${line}\n}`)

/** Changes an argument of a field; an empty text removes it. */
export const argument = (type: string, field: string, name: string, to: string): Change =>
  inType(type, new RegExp(`(\\n  ${field}\\(.*?)\\b${name}: [^,)]+(, )?`), to === '' ? '$1' : `$1${to}$2`)

/** Changes the type of a field. */
export const typeOf = (type: string, field: string, to: string): Change =>
  inType(type, new RegExp(`(\\n  ${field}(?:\\(.*\\))?): .*`), `$1: ${to}`)

/** Removes a type, and what has it: it must be in unions and in no field. */
export const withoutType =
  (name: string): Change =>
  (sdl) =>
    sdl
      .replace(new RegExp(`^(type|interface|input|enum|union) ${name}\\b[^]*?(\\n\\n|$(?![^]))`, 'm'), '')
      .replaceAll(new RegExp(` \\| ${name}\\b|\\b${name} \\| `, 'g'), '')
