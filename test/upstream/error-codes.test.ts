import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERROR_CODES } from '../../src/upstream/error-codes.js'
import * as errors from '../../src/upstream/errors.js'

/** Texts of the sources in some folders of `src`, and in the folders below them. */
const sources = (...folders: string[]): string[] =>
  folders.flatMap((folder) => {
    const root = new URL(`../../src/${folder}/`, import.meta.url)
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    return files.map((file) => readFileSync(new URL(file, root), 'utf8'))
  })

it('the table has exactly the error codes of the source', () => {
  const classes = Object.values(errors).filter(
    (each) => typeof each === 'function' && each.prototype instanceof errors.LmsError && each !== (errors.LmsError as unknown),
  )
  // Base classes have no code.
  const own = classes.flatMap((Class) => new (Class as new (message: string) => errors.LmsError)('').code ?? [])
  const written = sources('server', 'cost', 'prefetch', 'execute', 'graph', 'federation').flatMap((text) =>
    [...text.matchAll(/code: '([A-Z_]+)'/g)].map(([, code]) => code as string),
  )
  const yoga = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE']
  expect(own.length).toBeGreaterThan(10)
  expect(written.length).toBeGreaterThan(10)
  const listed: string[] = ERROR_CODES.map(({ code }) => code)
  expect(listed.sort()).toEqual([...new Set([...own, ...written, ...yoga])].sort())
})
