import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
it('the page on embedding shows the complaint as it is', async () => {
  const { createGateway } = await import('../../src/index.js')
  const [, shown = ''] = /```text\n(TypeError[\s\S]*?)```/.exec(read('docs/embedding.md')) ?? []
  let message = ''
  try {
    createGateway({ protection: { maxInFlght: 4 }, limits: { maxRows: 0 } } as never)
  } catch (error) {
    message = String(error)
  }
  expect(shown.trim()).toBe(message)
})

it('the page on deploying shows a command that is right', async () => {
  const { readOptions } = await import('../../src/options/read.js')
  const [, line = ''] = /```sh\n(NODE_ENV=.*)\n```/.exec(read('docs/deploying.md')) ?? []
  const words = line.split(' ')
  const command = words.indexOf('lms-graphql')
  const env = Object.fromEntries(words.slice(0, command).map((word) => word.split('=') as [string, string]))
  const wanted = { site: { url: 'https://example.org/wp-json', preset: 'learndash' }, protection: { maxInFlight: 4 } }
  expect(readOptions(words.slice(command + 1), env)).toMatchObject({ kind: 'options', options: wanted })
})
