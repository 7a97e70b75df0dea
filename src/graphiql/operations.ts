import { type Example, parseExample } from './examples.js'

const files = import.meta.glob<string>('../../schema/operations/*.graphql', { query: '?raw', import: 'default', eager: true })

/** The example operations, bundled with the page, in the order of their file names. */
export const EXAMPLES: readonly Example[] = Object.keys(files)
  .sort()
  .map((file) => parseExample(file, files[file] ?? ''))
