import { type Token, TokenKind } from 'graphql'
import { isObject, jsonIn } from '../maps.js'
import { ROLES, type Role } from '../options/access.js'

/** The kind of record whose id is in this place, or a value that holds such places. */
export type Ids = string | readonly Ids[] | { readonly [name: string]: Ids }

/**
 * What the comment lines above an operation say: title and description, which are empty texts without a line, and the settings, such as
 * `# role: learner`. `docs/front-ends/operations.md` says what each is for.
 */
export interface Head {
  readonly title: string
  readonly description: string
  readonly group: string | null
  readonly role: Role | null
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly ids: Ids | null
  readonly choose: string | null
  readonly needs: { readonly who: string; readonly why: string } | null
}

const SETTING = /^#?\s*(group|role|variables|ids|choose|needs)\s*:\s*(.*?)\s*$/i
/** How loaders of bundlers name the file of a fragment. */
const IMPORT = /^#\s*import\s/
const BECAUSE = ', because '
const ON_ONE_LINE = 'be followed by a JSON object on the same line'

/** The comment lines directly before a token, or after it. A comment behind code of its line is none of them. */
export function commentLines(from: Token | undefined, step: 'prev' | 'next'): Token[] {
  const lines: Token[] = []
  let last = from
  for (let token = from?.[step]; token?.kind === TokenKind.COMMENT && token.prev?.line !== token.line; token = token[step]) {
    if (Math.abs(token.line - (last?.line ?? 0)) > 1) break
    lines.push(token)
    last = token
  }
  return step === 'prev' ? lines.reverse() : lines
}

/** The lines that are neither settings nor imports. */
export const texts = (lines: readonly Token[]): string[] =>
  lines.map(({ value }) => `#${value}`).filter((text) => !SETTING.test(text) && !IMPORT.test(text))

/** Reads comment lines. `titles` are those of title and description, and `complain` is told of wrong settings. */
export function readHead(lines: readonly Token[], titles: readonly string[], complain: (line: Token, what: string) => void): Head {
  const comment = (place: number): string => (titles[place] ?? '').replace(/^#+/, '').trim()
  /** The value of a setting, or null without one. `rule` says what its text must do. */
  const setting = <T>(name: string, rule: string, read: (text: string) => T | undefined): T | null => {
    const line = lines.find((each) => SETTING.exec(each.value)?.[1]?.toLowerCase() === name)
    if (!line) return null
    const text = SETTING.exec(line.value)?.[2] ?? ''
    const value = read(text)
    if (value === undefined) complain(line, `"# ${name}:" must ${rule}, not ${text || 'nothing'}`)
    return value ?? null
  }
  return {
    title: comment(0),
    description: comment(1),
    group: setting('group', 'name a group', (text) => text || undefined),
    role: setting('role', `be one of ${ROLES.join(', ')}`, (text) => ROLES.find((each) => each === text)),
    variables: setting('variables', ON_ONE_LINE, objectIn),
    ids: setting('ids', ON_ONE_LINE, objectIn) as Ids | null,
    choose: setting('choose', 'say what to do', (text) => text || undefined),
    needs: setting('needs', `say who, and why: "a user${BECAUSE}..."`, needsIn),
  }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}

function needsIn(text: string): NonNullable<Head['needs']> | undefined {
  const [who = '', ...why] = text.split(BECAUSE)
  return who && why.length > 0 ? { who, why: why.join(BECAUSE) } : undefined
}
