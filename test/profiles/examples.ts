import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../schema/operations/', import.meta.url)

/** A read-only example operation, with its variables. */
export interface Example {
  readonly name: string
  readonly text: string
  readonly variables: Record<string, unknown>
}

export const EXAMPLES: readonly Example[] = readdirSync(folder)
  .sort()
  .map((file) => ({ name: file.replace(/^\d+-|\.graphql$/g, ''), text: readFileSync(new URL(file, folder), 'utf8') }))
  .filter(({ text }) => /^query /m.test(text))
  .map((example) => ({ ...example, variables: JSON.parse(/^# variables: (.*)$/m.exec(example.text)?.[1] ?? '{}') }))
