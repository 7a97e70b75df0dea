/** One example operation, read from a file of `schema/operations`. */
export interface Example {
  /** The file's first comment line, or its name. */
  title: string
  /** The document for the editor: with title and comments, without settings. */
  query: string
  /** Pretty-printed JSON of the variables, or null. */
  variables: string | null
  /** Login of the demo user that the operation requires, or null for anonymous. */
  user: string | null
}

const SETTING = /^#\s*(as|variables)\s*:\s*(.*?)\s*$/i

/**
 * Parses an example operation. Comment lines at the top of the file may have its title (`# A learner's dashboard`, first line), the user it
 * requires (`# as: learner`) and its variables as JSON on one line (`# variables: {"id": 7}`).
 */
export function parseExample(file: string, text: string): Example {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n')
  const headLength = lines.findIndex((line) => !line.startsWith('#'))
  const head = headLength < 0 ? lines : lines.slice(0, headLength)
  const settings = head.map((line) => SETTING.exec(line))
  const value = (name: string) => settings.find((setting) => setting?.[1]?.toLowerCase() === name)?.[2]
  const title = settings[0] ? '' : (head[0] ?? '').replace(/^#+\s*/, '').trim()
  return {
    title: title || baseName(file),
    query: lines.filter((_line, index) => !settings[index]).join('\n'),
    variables: readVariables(file, value('variables')),
    user: value('as') || null,
  }
}

function baseName(file: string): string {
  return file.replace(/^.*\//, '').replace(/\.graphql$/, '')
}

function readVariables(file: string, json: string | undefined): string | null {
  if (json === undefined) return null
  let variables: unknown
  try {
    variables = JSON.parse(json)
  } catch {
    // Reported below.
  }
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) {
    throw new Error(
      `${baseName(file)}.graphql: "# variables:" must be followed by a JSON object on the same line, not ${json || 'nothing'}`,
    )
  }
  return JSON.stringify(variables, null, 2)
}
