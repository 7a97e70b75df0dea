import { afterAll, describe, expect, it } from 'vitest'
import { placeOf, readPage } from '../docs/page.js'
import { contains } from '../docs/shell.js'
import { WITHOUT_REDIS } from '../support/redis-server.js'
import { lacks } from './haproxy.js'
import { Night, RENAMED, RENAMED_TO, type Seen, SHOP_KEY } from './night.js'
import { SCALED } from './prometheus.js'

// The commands of the page, after a night in which its incidents have happened to real programs.

const PAGE = 'docs/last-night.md'
const { blocks: whole, headings, source } = readPage(PAGE)
/** The blocks, and the parts of blocks that comments begin. */
const blocks = whole.flatMap((block) => block.text.split(/^(?=# )/m).map((text) => ({ ...block, text })))

const without = ['prometheus', 'promtool', 'haproxy', 'redis-cli', 'jq', 'socat'].map(lacks).find(Boolean)
const missing = without ?? (WITHOUT_REDIS && !process.env.CI ? ` (skipped: ${WITHOUT_REDIS})` : '')

/** A command of the page, and the lines that it prints below it. */
interface Step {
  readonly command: string
  readonly output: string
}

/** The steps of a block. In those of the language `console`, commands begin with `$`, and other lines are output. */
function stepsOf({ language, text }: (typeof blocks)[number]): Step[] {
  const lines = text.trimEnd().split('\n')
  if (language === 'sh') return lines.map((command) => ({ command, output: '' }))
  const [, ...parts] = `\n${lines.join('\n')}`.split('\n$ ')
  return parts.map((part) => {
    const [command = '', ...output] = part.split('\n')
    return { command, output: output.join('\n') }
  })
}

const steps = blocks.map(stepsOf)
/** The shell function that later blocks use. */
const query = steps[0]?.[0]?.command ?? ''

describe('the page', () => {
  it('is short, and has five incidents whose commands a test runs', () => {
    expect(source.split('\n').length).toBeLessThanOrEqual(151)
    expect(headings.filter(({ level }) => level === 2)).toHaveLength(5)
    expect(blocks.map(({ language }) => language).filter((language) => !['console', 'sh'].includes(language))).toEqual([])
    expect(query).toContain('promtool query instant')
    // Every command for reading prints something, apart from those that prepare another one.
    const silent = blocks.flatMap((block, at) => (block.language === 'sh' ? [] : (steps[at] ?? []).filter(({ output }) => output === '')))
    for (const { command } of silent) expect(command).toMatch(/^(query\(\)|id=|sed|systemctl|sleep)/)
  })
})

describe.skipIf(missing !== '')(`the morning after${missing}`, () => {
  let night: Night
  let seen: Seen

  afterAll(() => night?.close())

  /** Runs the blocks below a heading, by their numbers there; all of them without numbers. */
  async function follow(heading: string, ...numbers: readonly number[]): Promise<void> {
    const section = headings.findIndex(({ text }) => text === heading) + 1
    const below = blocks.filter((block) => block.section === section)
    expect(below.length).toBeGreaterThan(0)
    for (const block of numbers.length === 0 ? below : numbers.map((number) => below[number] as (typeof below)[number])) {
      const all = stepsOf(block)
      const [, ...printed] = await night.follow([query, ...all.map(({ command }) => command)])
      expect(printed).toHaveLength(all.length)
      for (const [at, { command, output }] of all.entries()) {
        const lines = printed[at]?.trim() ?? ''
        const place = `${placeOf(block)}: \`${command}\` prints:\n${lines}`
        if (output === '') expect(lines, place).toBe('')
        else expect(contains(lines, output), place).toBe(true)
        if (!output.includes('\n...')) expect(lines.split('\n').length, place).toBe(output.split('\n').length)
      }
    }
  }

  it('begins with the alerts of the incidents, and no others', async () => {
    night = await Night.start(SCALED)
    seen = await night.pass()
    await follow('What happened last night')
  }, 180_000)

  it('finds a crawler by the alert on limited clients, and blocks its address', async () => {
    expect([seen.limited.status, seen.limited.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED'])
    expect(seen.besideCrawler).toMatchObject({ status: 200, body: { data: { course: { title: expect.any(String) } } } })
    await follow('Clients got 429')
    expect(await night.read(10_001, 'crawler')).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } })
    expect((await night.read(10_001)).status).toBe(200)
  }, 60_000)

  it('finds the key that has changed a course by the lines of mutations, and replaces it without a restart', async () => {
    await follow('Somebody changed a course', 0, 1)
    const [former = '', added = ''] = night.keys
    expect(former).toBe(SHOP_KEY)
    const statuses = async () => Promise.all([former, added].map(async (key) => (await night.readWithKey(key)).status))
    expect(await statuses()).toEqual([200, 200])
    await follow('Somebody changed a course', 2)
    expect(await statuses()).toEqual([401, 200])
  }, 60_000)

  it('finds the secret that differs by the alert on refused webhooks, and accepts both', async () => {
    expect(await night.titleOf(RENAMED)).toBe(seen.oldTitle)
    expect(seen.oldTitle).not.toBe(RENAMED_TO)
    await follow('Pages showed old data')
    await expect.poll(() => night.titleOf(RENAMED)).toBe(RENAMED_TO)
  }, 60_000)

  it('finds by the alert on Redis why nobody could save, and who must save again', async () => {
    expect(seen.unsaved.body.data.updateCourse.code).toBe('CACHE_UNAVAILABLE')
    expect(seen.titleOfUnsaved).not.toBe('Closed')
    await follow('Nobody could save')
  }, 60_000)

  it('finds by the cause of failed calls that the site has banned the gateway, and tells the site who calls', async () => {
    expect(seen.banned.body.errors[0].extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    expect(night.forwarded).toBeUndefined()
    await follow('The site refused the gateway')
    await expect.poll(() => night.forwarded).toMatch(/^127\.0\.1\.\d+$/)
  }, 60_000)
})
