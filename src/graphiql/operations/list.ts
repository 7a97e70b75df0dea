import { type Example, isExample, parseExample } from './collection.js'

const files = import.meta.glob<string>('../../../schema/operations/*.graphql', { query: '?raw', import: 'default', eager: true })

/** The example operations, bundled with the page, in the order of their file names. */
export const EXAMPLES: readonly Example[] = Object.keys(files)
  .sort()
  .map((file) => parseExample(file, files[file] ?? ''))

/** The example that a document is, if any. */
export const exampleOf = (query: string | null): Example | undefined => EXAMPLES.find((example) => isExample(query, example))
