import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { OTHERWISE } from './otherwise.js'
import { ON_EVERY_PROFILE, ONCE } from './suites.js'

const root = new URL('../../', import.meta.url)
const files = [
  'test/operations',
  'test/cost',
  'test/load',
  'test/plan',
  'test/prefetch',
  'test/execute',
  'test/contract',
  'test/integration',
].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
)

it('every suite of the graph runs for every profile, or is listed to run once', () => {
  expect([...ON_EVERY_PROFILE, ...Object.keys(ONCE)].sort()).toEqual(files.sort())
})

it('every row of the table of differences is used by a test', () => {
  const asked = Object.keys(OTHERWISE).map((file) => {
    const source = readFileSync(new URL(`test/${file}.test.ts`, root), 'utf8')
    return [file, Object.keys(OTHERWISE[file] ?? {}).filter((name) => !isNamed(source, name))]
  })
  expect(asked).toEqual(Object.keys(OTHERWISE).map((file) => [file, []]))
})

/** Whether a source contains the name of a row, as a text or as a template with one placeholder. */
function isNamed(source: string, name: string): boolean {
  const templates = [...source.matchAll(/`([^`$]*)\$\{[^}]*\}([^`$]*)`/g)]
  return (
    source.includes(`'${name}'`) ||
    source.includes(`"${name}"`) ||
    templates.some(([, start = '', end = '']) => start !== '' && name.startsWith(start) && name.endsWith(end))
  )
}
