import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blockAbove, blocksOf } from './contract.js'
import { ALL_PAGES, placeOf } from './page.js'
import { contains, Shell } from './shell.js'

// The commands of a page run in its order, in one folder. Files of the page that have a name are in that folder before.

const PAGES = ALL_PAGES.filter(({ blocks }) => blocksOf(blocks, 'commands').length > 0)

describe.each(PAGES)('$path', ({ blocks }) => {
  let shell: Shell
  beforeAll(async () => {
    shell = await Shell.start()
    for (const { text, directive } of blocks) if (directive.name !== undefined) shell.write(directive.name, text)
  })
  afterAll(() => shell.close())

  it.each(blocksOf(blocks, 'commands').map((block) => [placeOf(block), block] as const))('%s', { timeout: 90_000 }, async (_, block) => {
    const { code, printed } = await shell.run(block.text)
    expect(code, printed).toBe(Number(block.directive.exit ?? 0))
    for (const output of blocksOf(blocks, 'output')) {
      if (blockAbove(blocks, output, 'commands') !== block) continue
      expect(contains(printed, output.text), `${placeOf(output)} is not in what the commands print:\n${printed}`).toBe(true)
    }
  })
})

describe('the shell of the documentation', () => {
  let shell: Shell
  beforeAll(async () => {
    shell = await Shell.start()
  })
  afterAll(() => shell.close())

  it('starts a server in front of the site, and another one in its place', async () => {
    const ask = `curl -sS http://127.0.0.1:4000/graphql -H 'content-type: application/json' -d '{"query": "{ groups { totalCount } }"}'`
    const first = await shell.run(`LMS_URL=https://example.org/wp-json lms-graphql --preset learndash\n${ask} -u admin:admin-demo`)
    expect(first.printed).toMatch(/^lms-graphql: .*http:\/\/127\.0\.0\.1:4000\/graphql/)
    expect(first.printed).toContain('https://example.org/wp-json')
    expect(first.printed).toMatch(/\{"data":\{"groups":\{"totalCount":\d+\}\}\}$/)
    expect(first.code).toBe(0)
    const second = await shell.run(`lms-graphql\n${ask}`)
    expect(second.printed).toContain('embedded LMS')
    expect(second.printed).toMatch(/"totalCount":\d+/)
  })

  it('ends with the exit code of a command that fails, and shows what it prints', async () => {
    const { code, printed } = await shell.run('lms-graphql --no-such-flag\necho after')
    expect(code).toBe(2)
    expect(printed).toContain('`--no-such-flag` is not a flag')
    expect(printed).not.toContain('after')
  })

  it.each([
    ['a\nb c\nd', 'b c', true],
    ['a\nb c\nd', 'a\n...\nd', true],
    ['took 12 ms (5 calls)', 'took … ms (5 calls)', true],
    ['a\nb c\nd', 'b', false],
    ['a\nb c\nd', 'd\n...\na', false],
  ])('%j has the documented lines %j: %s', (printed, documented, expected) => {
    expect(contains(printed, documented)).toBe(expected)
  })
})
