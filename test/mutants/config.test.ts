import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SUITES } from './vitest.config.js'

const root = new URL('../../', import.meta.url)
const { mutate, vitest } = JSON.parse(readFileSync(new URL('stryker.config.json', import.meta.url), 'utf8')) as {
  readonly mutate: readonly string[]
  readonly vitest: { readonly configFile: string }
}

/** Paths of a pattern with at most one list in braces. */
function pathsOf(pattern: string): string[] {
  const [, start = pattern, names = '', end = ''] = /^([^{]*)\{([^}]*)\}([^{]*)$/.exec(pattern) ?? []
  return names.split(',').map((name) => `${start}${name}${end}`)
}

const mutated = mutate.flatMap(pathsOf)

it('every path that the configuration of mutants names exists', () => {
  expect(mutated.length).toBeGreaterThan(15)
  expect(SUITES.length).toBeGreaterThan(20)
  expect([...mutated, ...SUITES, vitest.configFile].filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

it('every comment that disables a mutant is in a file that is mutated, names its mutators, and has a reason', () => {
  const comments = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const lines = readFileSync(new URL(`src/${path}`, root), 'utf8').split('\n')
      return lines.filter((line) => line.includes('Stryker disable')).map((line) => ({ path: `src/${path.replaceAll('\\', '/')}`, line }))
    })
  expect(comments.length).toBeGreaterThan(0)
  expect(comments.filter(({ path }) => !mutated.includes(path))).toEqual([])
  expect(comments.filter(({ line }) => !/^ *\/\/ Stryker disable next-line [A-Z]\w+(,[A-Z]\w+)*: [A-Z].+\.$/.test(line))).toEqual([])
})
