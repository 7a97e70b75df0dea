import { createRequire } from 'node:module'
import type { Document } from 'yaml'
import { jsonIn } from '../maps.js'

/** The values of a file, or complaints about the whole file. */
export interface FileText {
  /** Plain values: objects, lists, texts, numbers, booleans and null. */
  readonly values: unknown
  /** The line of the key at a path such as `site.url`. */
  readonly lineOf: (path: string) => number | undefined
  readonly complaints: readonly string[]
}

/** The YAML library. It is loaded only for files, because loading takes as long as everything else that reads settings. */
export const yaml = (): typeof import('yaml') => createRequire(import.meta.url)('yaml')

/** The parser is recursive; too deep a file would overflow its stack and end the process. */
const MAX_DEPTH = 20
const MAX_INDENT = 100

/** Reasons by error code. The messages of the parser are not shown: they quote the text, which may be a secret. */
const REASONS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'an escape in a text is wrong',
  BAD_INDENT: 'the indentation is wrong',
  KEY_OVER_1024_CHARS: 'a key is too long',
  DUPLICATE_KEY: 'a key is there twice',
  BLOCK_AS_IMPLICIT_KEY: 'there is a second colon, so the value needs quotes',
  MULTILINE_IMPLICIT_KEY: 'the line is indented, or the line before it lacks a quote',
  MISSING_CHAR: 'a quote, comma, colon or bracket is missing',
  MULTIPLE_DOCS: 'it holds several documents',
  TAB_AS_INDENT: 'it is indented by tabs',
  TAG_RESOLVE_FAILED: 'the tag is unknown',
  UNEXPECTED_TOKEN: 'a token is at the wrong place',
}

/** Reads an object in YAML, or in JSON for files named `.json`. Complaints name `path`, and never show a value. */
export function readFileText(text: string, path: string): FileText {
  const { LineCounter, parseDocument, isAlias, isMap, isScalar, visit } = yaml()
  const complaining = (...complaints: string[]): FileText => ({
    values: {},
    lineOf: () => undefined,
    complaints: complaints.map((each) => `\`${path}\` ${each}.`),
  })
  const source = text.replace(/^\uFEFF/, '')
  if (isDeep(source)) return complaining('is nested too deeply; it must be an object of settings')
  const lines = new LineCounter()
  const document: Document = parseDocument(source, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
  const isJson = /\.json$/i.test(path)
  const language = isJson ? 'JSON' : 'YAML'
  const errors = [...document.errors, ...document.warnings]
  // A line that is indented too far continues the value of the line before it, which is then a key over several lines.
  const indented = errors.find(({ code }) => code === 'MULTILINE_IMPLICIT_KEY')
  const faults = (indented ? [indented] : errors).map((error) => {
    const { code, pos } = error
    const reason = REASONS[code]
    return `is not valid ${language}, at line ${lines.linePos(error === indented ? pos[1] : pos[0]).line}${reason === undefined ? '' : `: ${reason}`}`
  })
  if (faults.length > 0) return complaining(...new Set(faults))
  if (isJson && jsonIn(source) === undefined)
    return complaining('is not valid JSON: it has YAML syntax, such as unquoted texts or comments')
  const { contents } = document
  if (contents === null || (!isJson && isScalar(contents) && contents.value === null)) return complaining()
  if (!isMap(contents)) return complaining('must contain an object of settings')
  const extras: string[] = []
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || node.tag !== undefined)
        extras.push(`has ${isAlias(node) ? 'an alias' : 'a tag'} in line ${lines.linePos(node.range?.[0] ?? 0).line}; write a plain value`)
    },
  })
  if (extras.length > 0) return complaining(...new Set(extras))
  const lineOf = (at: string): number | undefined => {
    const names = at.split('.')
    const parent = names.length === 1 ? contents : contents.get(names[0])
    const key = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === names.at(-1))?.key : undefined
    return isScalar(key) ? lines.linePos(key.range?.[0] ?? 0).line : undefined
  }
  return { values: document.toJS({ maxAliasCount: 0 }), lineOf, complaints: [] }
}

/** Whether brackets, dashes and colons of a line, or indentation nest deeper than any setting needs. */
function isDeep(text: string): boolean {
  const { Lexer } = yaml()
  let [depth, marks, previous] = [0, 0, '\n']
  for (const token of new Lexer().lex(text)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (/^\r?\n$/.test(token)) marks = 0
    else if (depth === 0 && /^[-?:]$/.test(token)) marks++
    if (depth > MAX_DEPTH || marks > MAX_DEPTH) return true
    if (depth === 0 && /\n$/.test(previous) && /^ +$/.test(token) && token.length > MAX_INDENT) return true
    previous = token
  }
  return false
}
