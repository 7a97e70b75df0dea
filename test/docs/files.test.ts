import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../docs/.vitepress/pages.js'
import { readOptions } from '../../src/options/read.js'
import { blockAbove, blocksOf, kindOf } from './contract.js'
import { ALL_PAGES, type Block, placeOf } from './page.js'

// Blocks that are compared with a file, read by the gateway, or checked by another test.

const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8')

/** The texts of all tests, with the files that help them. */
const TESTS = readdirSync(`${ROOT}test`).flatMap(textsBelow)

function textsBelow(path: string): string[] {
  if (path.endsWith('node_modules') || path === 'docs/examples') return []
  if (statSync(`${ROOT}test/${path}`).isDirectory())
    return readdirSync(`${ROOT}test/${path}`).flatMap((name) => textsBelow(`${path}/${name}`))
  return /\.tsx?$/.test(path) ? [read(`test/${path}`)] : []
}

/** The text of a file as users write it: without the comment at its beginning, and with imports from the package. */
const body = (text: string): string =>
  text
    .replace(/^(?:#!.*\n)?(?:\/\*[\s\S]*?\*\/\s*|(?:(?:\/\/|#) .*\n)+\s*)?/, '')
    .replace(/(?<=from ')(?:\.\.\/)+src\/([\w-]+)\.js(?=')/g, (_, name) => (name === 'index' ? 'lms-graphql' : `lms-graphql/${name}`))
    .trim()

const BY_PAGE = ALL_PAGES.filter(({ blocks }) => blocksOf(blocks, 'file', 'settings', 'by', 'output').length > 0)

describe.each(BY_PAGE)('$path', ({ path, blocks }) => {
  const titled = (kind: 'file' | 'settings' | 'by' | 'output') => blocksOf(blocks, kind).map((block) => [placeOf(block), block] as const)

  it.each(titled('file'))('%s is the text of its file', (_, { directive: { file = '' }, text }) => {
    const whole = read(file)
    expect([whole.trim(), body(whole)]).toContain(text.trim())
  })

  it.each(titled('file').filter(([, { directive }]) => directive.file?.startsWith('test/')))(
    '%s is imported or read by a test',
    (_, block) => {
      const name = basename(block.directive.file as string)
      const module = name.replace(/\.tsx?$/, '.js')
      expect(TESTS.filter((text) => text.includes(`/${module}'`) || text.includes(name)).length).toBeGreaterThan(0)
    },
  )

  it.each(titled('settings'))('%s is a settings file', (_, block) => {
    const file = block.language === 'json' ? 'lms.json' : 'lms.yaml'
    // Files that it names, such as files with passwords and keys, have long texts, each another one.
    const result = readOptions(['--config', file], {}, (named) => (named === file ? block.text : named.padEnd(40, 'x')))
    expect(result).toMatchObject({ kind: 'options' })
  })

  it.each(titled('by'))('%s is checked by a test that names the page or has the text', (_, { directive: { by = '' }, text }) => {
    expect(by).toMatch(/^test\/.*\.test\.tsx?$/)
    expect(existsSync(`${ROOT}${by}`), by).toBe(true)
    const test = read(by)
    expect(test.includes(path) || test.includes(text.trim()), `${by} names neither ${path} nor the text`).toBe(true)
  })

  it.each(titled('output'))('%s is below commands', (_, block) => {
    expect(blockAbove(blocks, block, 'commands')).toBeDefined()
  })
})

describe.each(ALL_PAGES.map(({ path, blocks, complaints }) => ({ path, blocks, complaints })))('$path', ({ blocks, complaints }) => {
  it('has a test for every block', () => {
    const untested = blocks.flatMap((block: Block) => {
      const kind = kindOf(block)
      return typeof kind === 'string' ? [] : [`${placeOf(block)}: the block ${kind.complaint}.`]
    })
    expect([...complaints, ...untested]).toEqual([])
  })
})
