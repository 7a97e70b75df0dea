/** One example operation, read from a file of `schema/operations`. */
export interface Example {
  /** The file's first comment line, or its name. */
  title: string
  /** The second comment line, or an empty text. */
  description: string
  /** The document for the editor: with title and comments, without settings. */
  query: string
  /** Variables for the sample records of the embedded LMS. */
  variables: Record<string, unknown> | null
  /** Which variables have ids of records, with the kind of record in place of each id. */
  ids: Ids | null
  /** What to do when the caller has to choose ids. */
  choose: string | null
  /** Its group; null when its file names none. */
  group: Group | null
  /** Login of the demo user that the operation requires, or null for anonymous. */
  user: string | null
  /** Who may run the operation, and why nobody else; null when everybody may. */
  needs: { who: string; why: string } | null
  /** Whether it is a mutation. */
  writes: boolean
}

/** The groups of examples, in the order of the page. */
export const GROUPS = ['visitor', 'learner', 'editor'] as const
export type Group = (typeof GROUPS)[number]

/** The kind of record whose id is in this place, or a value that holds such places. */
export type Ids = string | readonly Ids[] | { readonly [name: string]: Ids }

/** The kind of ids that a caller has to choose: no list has these records, or the example changes them. */
export const CHOOSE = 'choose'

const SETTING = /^#\s*(group|as|variables|ids|choose|needs)\s*:\s*(.*?)\s*$/i
const BECAUSE = ', because '
const ON_ONE_LINE = 'be followed by a JSON object on the same line'

/**
 * Parses an example operation. The comment lines at the top of the file have its title (first line), its description (second line) and its
 * settings:
 *
 * - `# group: visitor`: the group on the page: `visitor`, `learner` or `editor`.
 * - `# as: learner`: the login of the demo user that it needs.
 * - `# variables: {"id": 7}`: its variables in front of the embedded LMS, as JSON on one line.
 * - `# ids: {"id": "course"}`: in front of other sites, the kinds of records whose ids the variables have: see `site-ids.ts`.
 * - `# choose: Put the id of a question into the variables.`: what to do for ids of the kind `choose`.
 * - `# needs: an administrator, because only administrators may read questions`: who may run it.
 */
export function parseExample(file: string, text: string): Example {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n')
  const headLength = lines.findIndex((line) => !line.startsWith('#'))
  const head = headLength < 0 ? lines : lines.slice(0, headLength)
  const settings = head.map((line) => SETTING.exec(line))
  const textOf = (name: string) => settings.find((setting) => setting?.[1]?.toLowerCase() === name)?.[2]
  /** The value of a setting, or null without one. `rule` says what its text must do. */
  const read = <T>(name: string, rule: string, parse: (text: string) => T | undefined): T | null => {
    const text = textOf(name)
    const value = text === undefined ? null : parse(text)
    if (value === undefined) throw new Error(`${baseName(file)}.graphql: "# ${name}:" must ${rule}, not ${text || 'nothing'}`)
    return value
  }
  const comment = (index: number) => (settings[index] ? '' : (head[index] ?? '').replace(/^#+\s*/, '').trim())
  const query = lines.filter((_line, index) => !settings[index]).join('\n')
  return {
    title: comment(0) || baseName(file),
    description: comment(1),
    query,
    variables: read('variables', ON_ONE_LINE, objectIn),
    ids: read('ids', ON_ONE_LINE, objectIn) as Ids | null,
    choose: textOf('choose') || null,
    group: read('group', `be one of ${GROUPS.join(', ')}`, (text) => GROUPS.find((each) => each === text)),
    user: textOf('as') || null,
    needs: read('needs', `say who, and why: "a user${BECAUSE}..."`, needsIn),
    writes: /^mutation\b/m.test(query),
  }
}

function baseName(file: string): string {
  return file.replace(/^.*\//, '').replace(/\.graphql$/, '')
}

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(json)
    return Object(value) === value && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function needsIn(text: string): NonNullable<Example['needs']> | undefined {
  const [who = '', ...why] = text.split(BECAUSE)
  return who && why.length > 0 ? { who, why: why.join(BECAUSE) } : undefined
}

/** Whether a document is an example, maybe changed: it starts with the title of the example. */
export function isExample(query: string | null, { title }: Example): boolean {
  const [first = ''] = (query ?? '').trimStart().split('\n', 1)
  return first.startsWith('#') && first.replace(/^#+\s*/, '').trim() === title
}
