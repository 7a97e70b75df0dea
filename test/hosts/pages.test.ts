import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const PAGES = ['docs/embedding.md', 'docs/federation.md', 'docs/deploying.md']

describe.each(PAGES)('%s', (path) => {
  const page = read(path)
  const fences = [...page.matchAll(/(?:^<!-- test: (.*) -->\n)?^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, test, language, block]) => ({
    test: test ?? '',
    language,
    block: block as string,
  }))

  it('has blocks that are files of the repository, or that a test runs', () => {
    expect(fences.length).toBeGreaterThan(2)
    for (const { test, block } of fences) {
      const [, file] = /^file=(\S+)$/.exec(test) ?? []
      const [, by] = /^by=(\S+)$/.exec(test) ?? []
      if (file !== undefined) expect([file, read(file) === block]).toEqual([file, true])
      else if (by !== undefined) expect([by, existsSync(new URL(by, root))]).toEqual([by, true])
      else expect(test).toMatch(/^none reason="[^"]+"$/)
    }
  })

  it('links to pages and files that are there, or that the plan of the documentation has', () => {
    const planned = ['./reference/settings.md']
    const links = [...page.matchAll(/\]\((\.[^)#\s]*)/g)].map(([, link]) => link as string)
    expect(links.filter((link) => !planned.includes(link) && !existsSync(new URL(link, new URL(path, root))))).toEqual([])
  })
})

it('the page on embedding shows the complaint as it is', async () => {
  const { createGateway } = await import('../../src/index.js')
  const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(read('docs/embedding.md')) ?? []
  let message = ''
  try {
    createGateway({ maxInFlght: 4, maxRows: 0 } as never)
  } catch (error) {
    message = String(error)
  }
  expect(shown.trim()).toBe(message)
})

it('the page on deploying shows a command that starts several workers', async () => {
  const { readConfig } = await import('../../src/index.js')
  const [, line = ''] = /```sh\n(NODE_ENV=.*)\n```/.exec(read('docs/deploying.md')) ?? []
  const words = line.split(' ')
  const command = words.indexOf('lms-graphql')
  const env = Object.fromEntries(words.slice(0, command).map((word) => word.split('=') as [string, string]))
  const wanted = { upstream: 'https://example.org/wp-json', workers: 'auto', maxInFlight: 8 }
  expect(readConfig(words.slice(command + 1), env)).toMatchObject({ kind: 'config', config: wanted })
})
