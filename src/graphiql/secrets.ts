import { Lexer, Source, type Token, TokenKind } from 'graphql'

/** The texts of a query editor and a variables editor. */
export interface Texts {
  query: string
  variables: string
}

/** Names of arguments, input fields and members whose values are secrets: those that the gateway redacts in its log. */
const SECRET_NAME = /password|passwd|passphrase|secret|token|authorization|cookie|credential|nonce|key/i

/** A name, and the colon, equals sign or quote that follows it. For texts that the lexer cannot read. */
const NAMED = /([_a-z]\w*)(?:["']?\s*[:=]|\s*")/gi
/** A name with a text in quotes. */
const QUOTED = /([_a-z]\w*)\s*[:=]?\s*"/gi
const VARIABLE = /\$(\w+)/g

/**
 * Replaces the values of secrets by `""`. In the query these are values of arguments and input fields with such names, and defaults of
 * variables that are passed to them; in the variables, members with such names at any depth, and the values of those variables. All other
 * text stays. The texts need not be valid: where the lexer of GraphQL cannot read one, all text after the first such name is removed.
 */
export function withoutSecrets({ query, variables }: Texts): Texts {
  const passed = new Set<string>()
  const secretQuery = findSecrets(query, { isMember: false, passed })
  // Once more, because a variable is defined before it is used.
  const ranges = passed.size > 0 ? findSecrets(query, { isMember: false, passed }) : secretQuery
  return { query: redact(query, ranges), variables: redact(variables, findSecrets(variables, { isMember: true, passed })) }
}

/** Part of a text: from `start` to before `end`. */
interface Range {
  start: number
  end: number
}

interface Search {
  /** Whether names on the outermost level are members of an object, as in JSON, and not fields of a selection. */
  isMember: boolean
  /** Names of variables that are passed to secrets. The search adds those it finds. */
  passed: Set<string>
}

function redact(text: string, ranges: readonly Range[]): string {
  let redacted = ''
  let from = 0
  for (const { start, end } of ranges) {
    redacted += `${text.slice(from, start)}""`
    from = end
  }
  return redacted + text.slice(from)
}

/** The values of secrets in a text, in order. */
function findSecrets(text: string, search: Search): Range[] {
  // Names can be written with escapes.
  if (!SECRET_NAME.test(text) && !text.includes('\\u') && search.passed.size === 0) return []
  const tokens = readTokens(text)
  if (!tokens) return findUnreadable(text, search)
  const code = tokens.filter(({ kind }) => kind !== TokenKind.COMMENT)
  const ranges = [...findInCode(code, text, search), ...findInComments(tokens, text, search)]
  return ranges.sort((a, b) => a.start - b.start)
}

/** The tokens of a text with its comments, or undefined if the lexer cannot read it. JSON without comments has the same tokens. */
function readTokens(text: string): Token[] | undefined {
  const lexer = new Lexer(new Source(text))
  const first = lexer.token
  try {
    while (lexer.advance().kind !== TokenKind.EOF);
  } catch {
    return undefined
  }
  const tokens: Token[] = []
  for (let token = first.next; token && token.kind !== TokenKind.EOF; token = token.next) tokens.push(token)
  return tokens
}

const LITERALS: ReadonlySet<string> = new Set([TokenKind.STRING, TokenKind.BLOCK_STRING, TokenKind.INT, TokenKind.FLOAT])
const OPENING: ReadonlySet<string> = new Set([TokenKind.PAREN_L, TokenKind.BRACE_L, TokenKind.BRACKET_L])
const CLOSING: ReadonlySet<string> = new Set([TokenKind.PAREN_R, TokenKind.BRACE_R, TokenKind.BRACKET_R])
const CONSTANTS: ReadonlySet<string> = new Set(['null', 'true', 'false'])

function findInCode(tokens: readonly Token[], text: string, { isMember, passed }: Search): Range[] {
  const ranges: Range[] = []
  /** For each open bracket, whether it holds values: what is in parentheses, and all of JSON. Other braces hold a selection. */
  const open: boolean[] = []
  const is = (index: number, kind: TokenKind) => tokens[index]?.kind === kind
  const isLiteral = (index: number) => LITERALS.has(tokens[index]?.kind ?? '') && !is(index + 1, TokenKind.COLON)
  const isNamed = (index: number) => (is(index, TokenKind.NAME) || is(index, TokenKind.STRING)) && is(index + 1, TokenKind.COLON)
  const holdsValues = () => open.at(-1) ?? isMember

  const isSecret = (index: number): boolean => {
    const name = tokens[index]?.value
    if (name === undefined || !(is(index, TokenKind.NAME) || isNamed(index))) return false
    const isVariable = isMember ? open.length === 1 : is(index - 1, TokenKind.DOLLAR)
    return SECRET_NAME.test(name) || (isVariable && passed.has(name))
  }

  /** Adds the text from one token to another. */
  const add = (first: number, last: number) => {
    const [start, end] = [tokens[first]?.start ?? 0, tokens[last]?.end ?? text.length]
    if (text.slice(start, end) !== '""') ranges.push({ start, end })
  }

  /** Reads the value that starts at a token. Returns the index of the token after it. */
  const readValue = (start: number, isAfterColon: boolean): number => {
    let index = start
    if (isLiteral(index)) {
      while (isLiteral(index + 1)) index++
      add(start, index)
      return index + 1
    }
    if (!isAfterColon) return start
    if (is(index, TokenKind.DOLLAR)) {
      const name = tokens[index + 1]
      if (name?.kind === TokenKind.NAME) passed.add(name.value)
      return index + 2
    }
    if (is(index, TokenKind.BRACE_L) || is(index, TokenKind.BRACKET_L)) return readCollection(index)
    // A name is a field after an alias in a selection. Elsewhere it is a text without its quotes.
    if (!is(index, TokenKind.NAME) || !holdsValues() || CONSTANTS.has(tokens[index]?.value ?? '')) return start
    const { line } = tokens[index] as Token
    const isSameValue = (next: number) => {
      const token = tokens[next]
      return token !== undefined && token.line === line && !CLOSING.has(token.kind) && !isNamed(next)
    }
    while (isSameValue(index + 1)) index++
    add(start, index)
    return index + 1
  }

  /** Reads all values in a list or an object. */
  const readCollection = (start: number): number => {
    let index = start + 1
    let depth = 1
    while (index < tokens.length && depth > 0) {
      const { kind } = tokens[index] as Token
      if (OPENING.has(kind)) depth++
      else if (CLOSING.has(kind)) depth--
      const isName = isNamed(index) || kind === TokenKind.COLON || kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L
      index = isName || CLOSING.has(kind) ? index + 1 : Math.max(readValue(index, true), index + 1)
    }
    return index
  }

  for (let index = 0; index < tokens.length; ) {
    const { kind, value } = tokens[index] as Token
    // Where quotes are missing, the code between two block strings is read as a block string.
    if (kind === TokenKind.BLOCK_STRING && [...value.matchAll(QUOTED)].some(([, name = '']) => SECRET_NAME.test(name))) add(index, index)
    if (OPENING.has(kind)) open.push(kind === TokenKind.PAREN_L || holdsValues())
    else if (CLOSING.has(kind)) open.pop()
    if (!isSecret(index)) {
      index++
      continue
    }
    const isDefinition = is(index - 1, TokenKind.DOLLAR)
    index++
    const isAfterColon = is(index, TokenKind.COLON) || is(index, TokenKind.EQUALS)
    if (isDefinition && isAfterColon) {
      const isType = () =>
        [TokenKind.COLON, TokenKind.NAME, TokenKind.BRACKET_L, TokenKind.BRACKET_R, TokenKind.BANG].some((part) => is(index, part))
      while (isType()) index++
      if (!is(index, TokenKind.EQUALS) && !isLiteral(index)) continue
    }
    while (is(index, TokenKind.COLON) || is(index, TokenKind.EQUALS)) index++
    index = readValue(index, isAfterColon)
  }
  return ranges
}

/** Secrets in comments, where arguments are written that are switched off for now. */
function findInComments(tokens: readonly Token[], text: string, search: Search): Range[] {
  const runs: Range[] = []
  for (const { kind, start, end, prev } of tokens) {
    if (kind !== TokenKind.COMMENT) continue
    const last = runs.at(-1)
    if (last && prev?.kind === TokenKind.COMMENT) last.end = end
    else runs.push({ start, end })
  }
  return runs.flatMap(({ start, end }) => {
    const content = text.slice(start, end).replace(/^[ \t]*#+/gm, (marks) => ' '.repeat(marks.length))
    return findSecrets(content, { isMember: false, passed: search.passed }).map((range) => ({
      start: start + range.start,
      end: start + range.end,
    }))
  })
}

/** In a text that the lexer cannot read, everything after the first name of a secret, or before it the definition of a variable passed to one. */
function findUnreadable(text: string, { isMember, passed }: Search): Range[] {
  const names = [...text.matchAll(NAMED)]
  const isSecret = (name: string) => SECRET_NAME.test(name) || (isMember && passed.has(name))
  const first = names.find(([, name = '']) => isSecret(name))
  const ends = first ? [first.index + first[0].length - (first[0].endsWith('"') ? 1 : 0)] : []
  if (first && !isMember) for (const [, name = ''] of text.slice(first.index).matchAll(VARIABLE)) passed.add(name)
  if (!isMember) {
    for (const [definition, name = ''] of text.matchAll(/\$(\w+)\s*:\s*[\w![\] ]+=/g)) {
      if (passed.has(name)) ends.push(text.indexOf(definition) + definition.length)
    }
  }
  const start = Math.min(...ends)
  return ends.length > 0 && text.slice(start) !== '""' ? [{ start, end: text.length }] : []
}
