import type { Block } from './page.js'

/** How a block is tested. */
export type Kind = 'operation' | 'answer' | 'types' | 'file' | 'commands' | 'output' | 'settings' | 'diagram' | 'by' | 'none'

/** How the blocks of a language are tested without a comment. */
const BY_LANGUAGE: Readonly<Record<string, Kind>> = {
  graphql: 'operation',
  ts: 'types',
  tsx: 'types',
  js: 'types',
  jsx: 'types',
  sh: 'commands',
  mermaid: 'diagram',
}

/** Keys that say how a block is tested, whatever its language is. */
const BY_KEY = { answer: 'answer', file: 'file', settings: 'settings', output: 'output', by: 'by', none: 'none' } as const

/** Languages whose blocks a test can always run or compare. */
const ALWAYS_TESTED = ['graphql', 'ts', 'tsx', 'js', 'jsx', 'json', 'yaml']

/** Keys that go with a kind of test. */
const ALLOWED: Readonly<Record<Kind, readonly string[]>> = {
  operation: ['as', 'calls', 'errors', 'variables', 'extensions'],
  answer: ['answer'],
  types: ['name'],
  file: ['file', 'name'],
  commands: ['exit'],
  output: ['output'],
  settings: ['settings', 'name'],
  diagram: [],
  by: ['by', 'name'],
  none: ['none', 'reason'],
}

/** Returns how a block is tested, or what is wrong with it. */
export function kindOf({ language, directive }: Block): Kind | { readonly complaint: string } {
  const keys = Object.keys(directive)
  const said = keys.filter((key) => Object.hasOwn(BY_KEY, key)) as (keyof typeof BY_KEY)[]
  if (said.length > 1) return { complaint: `says both \`${said[0]}\` and \`${said[1]}\`` }
  const [key] = said
  const kind = key === undefined ? BY_LANGUAGE[language] : BY_KEY[key]
  if (kind === undefined)
    return { complaint: `(${language || 'no language'}) has no test: say \`file=\`, \`settings\`, \`output\`, \`answer\` or \`by=\`` }
  const wrong = keys.find((each) => !ALLOWED[kind].includes(each))
  if (wrong !== undefined) return { complaint: `has \`${wrong}\`, which has no effect here` }
  if (kind === 'none' && (directive.reason ?? '').length < 10) return { complaint: 'says `none` without a reason' }
  if (kind === 'none' && ALWAYS_TESTED.includes(language)) return { complaint: `says \`none\`, but a test can read ${language}` }
  if (kind === 'answer' && language !== 'json') return { complaint: 'says `answer`, but is not JSON' }
  return kind
}

/** The blocks of a kind. */
export const blocksOf = (blocks: readonly Block[], ...kinds: readonly Kind[]): Block[] =>
  blocks.filter((block) => kinds.includes(kindOf(block) as Kind))

/** The block before another one in the same section, of one of these kinds; blocks of other kinds are passed over. */
export function blockAbove(blocks: readonly Block[], block: Block, kind: Kind): Block | undefined {
  return blocks.filter((each) => each.section === block.section && each.line < block.line && kindOf(each) === kind).at(-1)
}
