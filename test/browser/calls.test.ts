import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlanExplanation } from '../../src/graphiql/calls/explanation.js'
import { estimateDetails, estimateText, levelOf } from '../../src/graphiql/estimate/estimate.js'
import { milliseconds, size } from '../../src/graphiql/words.js'
import { type LmsCall, type RunningLms, startLms } from '../../src/lms/index.js'
import { merged } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { authorizationOf, type Login } from '../support/world.js'
import { launchChromium, type Observed, openContext, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { USERS } from './start-page.js'

/** Milliseconds that the site takes for each call, so that calls at the same time overlap there. */
const LATENCY = 120

/** The budget of the gateway. */
const MAX_CALLS = 70

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Repeats a read until the expectation holds, with a timeout for busy machines. */
const eventually = <T>(read: () => T, message?: string) => expect.poll(read, { timeout: PATIENCE, ...(message && { message }) })

const LIST = '{ groups(first: 3) { nodes { title } } }'
const DEEP = `{
  groups(first: 10) {
    nodes {
      title
      courses(first: 5) { nodes { title priceType { name } lessons(first: 3) { nodes { title } } } }
    }
  }
}`
const REFUSED = '{ groups(first: 10) { nodes { courses(first: 50) { nodes { lessons { totalCount } } } } } }'
const FRAGMENTS = `query Groups {
  groups(first: 2) { nodes { ...Titles mine: courses(first: 2) { nodes { ...Titles } } } }
}
fragment Titles on LmsContent {
  name: title
  ... on Course { prerequisites { title } }
}`

interface Operation {
  readonly name: string
  readonly query: string
  readonly as?: Login
  readonly variables?: object
  /** REST calls, or a range of them. */
  readonly calls: number | readonly [least: number, most: number]
  /** The text of the panel where there is no bar. */
  readonly text?: RegExp
  /** Statuses of calls that failed. */
  readonly failed?: readonly number[]
}

const OPERATIONS: readonly Operation[] = [
  { name: 'a list', query: LIST, calls: 1 },
  { name: 'lists below a list', query: '{ groups(first: 4) { nodes { title courses(first: 2) { nodes { title } } } } }', calls: 5 },
  { name: 'a deep one', query: DEEP, calls: [35, 45] },
  {
    name: 'a batch by id',
    query: '{ courses(first: 20) { nodes { title prerequisites { title author { id } } priceType { name } } } }',
    calls: [2, 3],
  },
  { name: 'fragments and aliases', query: FRAGMENTS, calls: [3, 5] },
  {
    name: 'variables',
    query: 'query C($id: ID!) { course(id: $id) { title lessons(first: 2) { nodes { title } } } }',
    variables: { id: 10001 },
    calls: 2,
  },
  {
    name: 'errors',
    query: '{ groups(first: 1) { totalCount } user(id: 3) { courseProgress { totalCount } } }',
    calls: [1, 2],
    failed: [401],
  },
  {
    name: 'deferred parts',
    query: '{ groups(first: 3) { nodes { title ... @defer { courses(first: 1) { nodes { title } } } } } }',
    calls: 4,
  },
  {
    name: 'a mutation',
    query:
      'mutation M($title: String!) { createCourse(input: { title: $title }) { ... on CreateCourseSuccess { course { title priceType { name } } } } }',
    as: 'admin',
    variables: { title: 'Graphs' },
    calls: [1, 2],
  },
  { name: 'a refused one', query: REFUSED, calls: 0, text: /^No REST call was made: the query was refused before it ran\./ },
  { name: 'one without calls', query: '{ user(id: 3) { databaseId } }', calls: 0, text: /^The query needed no REST call\.$/ },
]

/** A bar of the waterfall, in shares of the time axis. */
interface Bar {
  /** The route with the values of its parameters. */
  readonly path: string
  readonly method: string
  readonly status: string
  readonly bytes: string
  readonly start: number
  readonly end: number
}

/** The page of the gateway, with its editors and the panel of calls. */
class Panel {
  constructor(readonly page: Page) {}

  get rows(): Locator {
    return this.list.getByRole('option')
  }

  get list(): Locator {
    return this.page.getByRole('listbox', { name: 'REST calls of the last run' })
  }

  get sums(): Locator {
    return this.page.locator('.calls-ran')
  }

  /** What the status bar says of the last run. */
  get ran(): Locator {
    return this.page.locator('.status-run')
  }

  get estimate(): Locator {
    return this.page.locator('.status-line > .status-calls')
  }

  /** Replaces the texts of the editors. */
  async write({ query, variables, as }: Pick<Operation, 'query' | 'variables' | 'as'>): Promise<void> {
    const texts: [file: string, text: string][] = [
      ['operation.graphql', query],
      ['variables.json', variables ? JSON.stringify(variables) : ''],
      ['headers.json', as ? JSON.stringify({ Authorization: authorizationOf(as) }) : ''],
    ]
    await this.page.evaluate((all) => {
      const models = (globalThis as any).__MONACO.editor.getModels()
      for (const [file, text] of all) models.find(({ uri }: any) => uri.path.endsWith(file)).setValue(text)
    }, texts)
  }

  /** Runs what is in the editors, until the panel knows its calls. */
  async run(): Promise<void> {
    await this.page.getByRole('button', { name: /^Execute query/ }).click()
    await this.ended()
  }

  /** Waits until the panel knows the calls of the run. */
  async ended(): Promise<void> {
    await this.ran.getByText(/^\d+ errors?$/).waitFor()
  }

  /** The response, with all its parts. */
  response(): Promise<string> {
    return this.page.evaluate(() =>
      (globalThis as any).__MONACO.editor
        .getModels()
        .find(({ uri }: any) => uri.path.endsWith('response.json'))
        .getValue(),
    )
  }

  /** The bars, without the time in the queue, in the order of their start. */
  async bars(): Promise<Bar[]> {
    const bars = await this.rows.evaluateAll((rows) =>
      rows.map((row) => {
        const parts = [...row.querySelectorAll<HTMLElement>('.calls-bar:not(.calls-bar-queued)')]
        const spans = parts.map(({ style }) => [Number.parseFloat(style.left), Number.parseFloat(style.width)] as const)
        const text = (part: string) => row.querySelector(part)?.textContent ?? ''
        return {
          name: row.querySelector<HTMLElement>('.calls-route')?.title ?? '',
          status: /\d+/.exec(text('.calls-status'))?.[0] ?? '',
          bytes: text('.calls-bytes'),
          start: Math.min(...spans.map(([left]) => left)) / 100,
          end: Math.max(...spans.map(([left, width]) => left + width)) / 100,
        }
      }),
    )
    return bars.map(({ name, ...bar }) => ({ ...bar, ...routeIn(name) })).sort((a, b) => a.start - b.start)
  }

  /** The texts that are marked in an editor. */
  marked(file: 'operation.graphql' | 'response.json'): Promise<string[]> {
    return this.page.evaluate((file) => {
      const model = (globalThis as any).__MONACO.editor.getModels().find(({ uri }: any) => uri.path.endsWith(file))
      return model
        .getAllDecorations()
        .filter(({ options }: any) => options.inlineClassName === 'calls-mark')
        .map(({ range }: any) => model.getValueInRange(range))
    }, file)
  }

  /** Routes of the calls for the field or the value at the cursor. */
  async atCursor(): Promise<string[]> {
    const names = await this.page
      .locator('.calls-at-cursor .calls-route')
      .evaluateAll((routes) => routes.map((route) => (route as HTMLElement).title))
    return [...new Set(names.map((name) => /^\w+ ([^,]+)/.exec(name)?.[1] ?? ''))]
  }

  /** Clicks on a word of an editor. */
  async clickWord(editor: 'query-editor' | 'response', word: string): Promise<void> {
    await this.page.locator(`.graphiql-${editor} .view-line span span`, { hasText: word }).first().click()
  }

  /** Presses Tab until an element has the focus. */
  async tabTo(element: Locator): Promise<void> {
    for (let presses = 0; presses < 60; presses++) {
      if (await element.evaluate((found) => found === document.activeElement)) return
      await this.page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not lead to ${element}`)
  }
}

/** The method and the path in the name of a row, such as `GET v2/groups/:id/courses, id 7, wave 2`. */
function routeIn(name: string): Pick<Bar, 'method' | 'path'> {
  const [, method = '', route = ''] = /^(\w+) ([^,]+)/.exec(name) ?? []
  const value = (parameter: string) => new RegExp(`, ${parameter} ([^,]+)`).exec(name)?.[1]
  const course = route.includes(':') ? undefined : value('course')
  return { method, path: route.replace(/:(\w+)/g, (text, parameter) => value(parameter) ?? text) + (course ? `?course=${course}` : '') }
}

const NAME = `The panel of REST calls and the status bar${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 4 * PATIENCE }, () => {
  /** The calls that the site has answered, in the order of their arrival. */
  const log: LmsCall[] = []
  let lms: RunningLms
  let gateway: Served
  let closed: Served
  let browser: Browser

  beforeAll(async () => {
    lms = await startLms({ switches: { latency: { median: LATENCY, p95: LATENCY } }, onCall: (call) => log.push(call) })
    const options = { site: { url: lms.url }, tuning: { users: USERS }, limits: { maxCalls: MAX_CALLS } } as const
    gateway = await serve(merged(options, { observe: { explainFor: ['everybody'] }, tuning: { explainOthersFor: ['everybody'] } }))
    closed = await serve({ ...options, observe: { explainFor: ['administrator'] } })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    await closed?.close()
    await lms?.close()
  })

  /** Opens the page in a new profile, runs the test, and expects that the page had no problems. */
  async function visit(
    use: (panel: Panel) => Promise<void>,
    { of = gateway, ...options }: BrowserContextOptions & { of?: Served } = {},
  ): Promise<void> {
    const { context, observed } = await openContext(browser, options)
    try {
      const page = await context.newPage()
      await page.goto(`${of.url}/graphql`)
      await page.locator('.graphiql-query-editor .view-line').first().waitFor()
      await page.locator('.graphiql-response .monaco-editor').waitFor({ state: 'attached' })
      await eventually(() => page.locator('select:disabled').count()).toBe(0)
      await use(new Panel(page))
      expect(observed satisfies Observed).toEqual({ problems: [], foreign: [] })
    } catch (error) {
      throw new Error(`${error}\nWhat the browser saw: ${JSON.stringify(observed, null, 2)}`, { cause: error })
    } finally {
      await context.close()
    }
  }

  /** The calls at the site since the log was emptied, in the order of their arrival. */
  const atSite = () =>
    log
      .map(({ method, url, status, bytes, startedAt, duration }) => ({
        method,
        // Lists of different courses are told apart.
        path: url.replace(/^\/lms\//, '').replace(/\?(?:.*&)?(course=\d+)\b.*$|\?.*$/, (_, course) => (course ? `?${course}` : '')),
        status: String(status),
        bytes: size(bytes),
        start: startedAt,
        end: startedAt + duration,
      }))
      .sort((a, b) => a.start - b.start)

  it('has a bar for each call at the site: the same routes, statuses and bytes, in the same order, with the same overlaps', () =>
    visit(async (panel) => {
      for (const operation of OPERATIONS) {
        await panel.write(operation)
        log.length = 0
        await panel.run()
        const bars = await panel.bars()
        const calls = atSite()
        const [least, most] = typeof operation.calls === 'number' ? [operation.calls, operation.calls] : operation.calls
        const seen = `${operation.name}: ${JSON.stringify({ bars, calls }, null, 1)}`

        expect(bars.length, seen).toBe(calls.length)
        expect(bars.length, seen).toBeGreaterThanOrEqual(least)
        expect(bars.length, seen).toBeLessThanOrEqual(most)
        const described = ({ method, path, status, bytes }: Omit<Bar, 'start' | 'end'>) => `${method} ${path} ${status} ${bytes}`
        expect(bars.map(described).sort(), seen).toEqual(calls.map(described).sort())
        const failed = calls.filter(({ status }) => Number(status) >= 400).map(({ status }) => Number(status))
        expect(failed, seen).toEqual(operation.failed ?? [])
        await eventually(() => panel.page.locator('.calls-error').count(), seen).toBe(failed.length)
        if (operation.text) await eventually(() => panel.page.locator('.calls-text').innerText(), seen).toMatch(operation.text)
        else await compareTimes(panel, bars, calls, seen)
        expect(await panel.response()).not.toContain('"explain"')
      }
    }))

  /** Expects that bars follow each other and overlap as the calls at the site did. */
  async function compareTimes(panel: Panel, bars: readonly Bar[], calls: ReturnType<typeof atSite>, seen: string): Promise<void> {
    // Equal calls are compared in their order.
    const left = [...calls]
    const pairs = bars.map((bar) => {
      const index = left.findIndex(({ method, path, bytes }) => method === bar.method && path === bar.path && bytes === bar.bytes)
      return { bar, call: left.splice(index, 1)[0] as (typeof calls)[number] }
    })
    const end = await axisEnd(panel)
    for (const [index, one] of pairs.entries()) {
      for (const other of pairs.slice(index + 1)) {
        const overlap = (Math.min(one.bar.end, other.bar.end) - other.bar.start) * end
        // The site has the start of a call in whole milliseconds.
        if (overlap <= 0) expect(other.call.start, seen).toBeGreaterThanOrEqual(one.call.end - 1)
        // A response is on its way when the site has ended the call.
        else if (overlap > LATENCY / 2) expect(Math.min(one.call.end, other.call.end), seen).toBeGreaterThan(other.call.start)
      }
    }
    const longest = Math.max(...bars.map(({ start, end: last }) => last - start)) * end
    expect(longest, seen).toBeGreaterThanOrEqual(LATENCY)
  }

  /** Milliseconds at the end of the axis, from its last tick. */
  async function axisEnd({ page }: Panel): Promise<number> {
    const ticks = await page
      .locator('.calls-head .calls-axis span')
      .evaluateAll((spans) =>
        spans.map((span) => ({ text: span.textContent ?? '', left: Number.parseFloat((span as HTMLElement).style.left) / 100 })),
      )
    const { text, left } = ticks[ticks.length - 1] as { text: string; left: number }
    return (Number.parseFloat(text) * (text.endsWith(' s') ? 1000 : 1)) / left
  }

  it('shows the sums of a run, and what it would cost without batches', () =>
    visit(async (panel) => {
      await panel.write({ query: DEEP })
      log.length = 0
      const [response] = await Promise.all([
        panel.page.waitForResponse((candidate) => candidate.request().postData()?.includes('"run"') === true),
        panel.run(),
      ])
      const { actual } = (await response.json()).extensions.explain
      expect(actual.calls).toBe(log.length)
      expect(actual.unbatched).toBeGreaterThan(actual.calls)
      expect(actual.bytes).toBe(log.reduce((sum, { bytes }) => sum + bytes, 0))
      await eventually(async () => (await panel.sums.innerText()).split(/\s*\n\s*/)).toEqual([
        `${actual.calls} instead of ${actual.unbatched}`,
        '3 steps',
        `${size(actual.bytes)} from the site`,
        `${milliseconds(actual.duration)} in the gateway`,
      ])
      const waves = panel.page.locator('.calls-wave')
      await eventually(() => waves.evaluateAll((all) => all.map((wave) => wave.getAttribute('aria-label')))).toEqual([
        'Step 1',
        'Step 2',
        'Step 3',
      ])
      await eventually(() => panel.page.locator('.calls-legend').innerText()).toMatch(/in the queue\s+waiting for the site\s+receiving/)
    }))

  it('marks the fields and values of a chosen call, and the calls of the field or value at the cursor', () =>
    visit(async (panel) => {
      const marks = async () => ({ query: await panel.marked('operation.graphql'), response: await panel.marked('response.json') })
      const NOTHING = { query: [], response: [] }

      await panel.write({
        query: '{\n  groups(first: 2) {\n    nodes {\n      title\n      courses(first: 1) {\n        totalCount\n      }\n    }\n  }\n}',
      })
      await panel.run()
      await panel.rows.filter({ hasText: 'v2/groups/:id/courses' }).first().click()
      await eventually(marks).toEqual({ query: ['courses'], response: ['"courses"', '"courses"'] })
      await eventually(() => panel.page.locator('.calls-foot [role=status]').innerText()).toMatch(
        /^Serves groups\.nodes\.courses: 1 field and 2 values marked/,
      )
      await panel.page.keyboard.press('Escape')
      await eventually(marks).toEqual(NOTHING)
      await panel.clickWord('query-editor', 'totalCount')
      await eventually(() => panel.atCursor()).toEqual(['v2/groups/:id/courses'])
      await panel.clickWord('query-editor', 'title')
      await eventually(() => panel.atCursor()).toEqual(['v1/groups'])
      await panel.clickWord('response', '"totalCount"')
      await eventually(() => panel.atCursor()).toEqual(['v2/groups/:id/courses'])
      await panel.page.keyboard.press('Escape')
      await eventually(() => panel.atCursor()).toEqual([])

      // A field of a fragment that is spread at two places, and an alias.
      await panel.write({ query: FRAGMENTS })
      await panel.run()
      await panel.rows.filter({ hasText: 'v2/groups/:id/courses' }).first().click()
      await eventually(marks).toEqual({ query: ['mine: courses'], response: ['"mine"', '"mine"'] })
      await panel.clickWord('query-editor', 'prerequisites')
      await eventually(() => panel.atCursor()).toContain('v1/sfwd-courses')
      await eventually(marks).toEqual({ query: ['mine: courses'], response: ['"mine"', '"mine"'] })

      // A query that was edited after the run: its fields are not marked, the values are.
      await panel.page.keyboard.press('Control+End')
      await panel.page.keyboard.type('# edited')
      await eventually(marks).toEqual({ query: [], response: ['"mine"', '"mine"'] })
      expect(await panel.atCursor()).toEqual([])

      // An error in the response leads to the call that failed.
      await panel.write({ query: '{ groups(first: 1) { totalCount } user(id: 3) { courseProgress { totalCount } } }' })
      await panel.run()
      await panel.clickWord('response', '"message"')
      await eventually(() => panel.atCursor()).toEqual(['v2/users/:user/course-progress'])
      await panel.rows.filter({ hasText: 'v1/groups' }).click()
      await eventually(marks).toEqual({ query: ['groups'], response: ['"groups"'] })
    }))

  it('keeps the run of each tab', () =>
    visit(async (panel) => {
      await panel.write({ query: LIST })
      await panel.run()
      await panel.page.getByRole('button', { name: 'New tab' }).click()
      await panel.page.getByText('Run the query to see the REST calls that it makes.').waitFor()
      await panel.write({ query: LIST })
      await panel.page.getByRole('region', { name: 'Plan of the operation' }).getByText('v1/groups').waitFor()
      await panel.page.locator('.graphiql-tab-button').first().click()
      await panel.ran.getByText(`1 of ${MAX_CALLS} calls`, { exact: true }).waitFor()
      await eventually(() => panel.rows.count()).toBe(1)
    }))

  it('shows no estimate of another tab', () =>
    visit(async (panel) => {
      const { page } = panel
      const lines = async () => ({
        line: await panel.estimate.allInnerTexts(),
        plan: await page.locator('.calls-plan').count(),
      })
      await page.getByRole('button', { name: 'New tab' }).click()
      await panel.write({ query: DEEP })
      await eventually(async () => (await lines()).plan).toBe(1)
      const [ofDeep] = (await lines()).line
      await page.locator('.graphiql-tab-button').first().click()
      await panel.write({ query: LIST })
      await eventually(async () => (await lines()).line).toEqual([`about 1 of ${MAX_CALLS} calls`])

      // The gateway does not answer until the test lets it.
      let answer = () => {}
      const answered = new Promise<void>((resolve) => {
        answer = resolve
      })
      let asked = 0
      await page.route('**/graphql', async (route) => {
        asked++
        await answered
        await route.continue()
      })
      await page.locator('.graphiql-tab-button').nth(1).click()
      await eventually(() => asked).toBeGreaterThan(0)
      expect(await lines()).toEqual({ line: [], plan: 0 })
      answer()
      await eventually(lines).toEqual({ line: [ofDeep], plan: 1 })
    }))

  it('shows the estimate while one types, marks the most expensive fields, and makes no REST call', () =>
    visit(async (panel) => {
      const planOf = async (query: string, variables?: object): Promise<PlanExplanation> => {
        const response = await fetch(`${gateway.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables, extensions: { explain: 'plan' } }),
        })
        return ((await response.json()) as any).extensions.explain
      }
      const margin = () =>
        panel.page.evaluate(() => {
          const model = (globalThis as any).__MONACO.editor.getModels().find(({ uri }: any) => uri.path.endsWith('operation.graphql'))
          return model
            .getAllDecorations()
            .filter(({ options }: any) => options.linesDecorationsClassName?.startsWith('estimate-mark'))
            .map(
              ({ range, options }: any) =>
                `${range.startLineNumber} ${options.linesDecorationsClassName} ${options.linesDecorationsTooltip}`,
            )
        })
      log.length = 0

      const query = (rows: number) =>
        `{\n  groups(first: ${rows}) {\n    nodes {\n      courses(first: 3) {\n        totalCount\n      }\n    }\n  }\n}`
      await panel.write({ query: query(2) })
      const few = estimateText(await planOf(query(2)))
      await eventually(() => panel.estimate.innerText()).toBe(few)
      // One more digit: 25 groups.
      await panel.page.evaluate(() => {
        const editor = (globalThis as any).__MONACO.editor
          .getEditors()
          .find((each: any) => each.getModel().uri.path.endsWith('operation.graphql'))
        editor.focus()
        editor.setPosition({ lineNumber: 2, column: '  groups(first: 2'.length + 1 })
      })
      await panel.page.keyboard.type('5')
      const planned = await planOf(query(25))
      const more = estimateText(planned)
      const courses = Math.ceil(planned.steps.find(({ paths }) => paths.includes('groups.nodes.courses'))!.expected)
      expect(courses).toBeGreaterThanOrEqual(10)
      expect(more).not.toBe(few)
      await eventually(() => panel.estimate.innerText()).toBe(more)
      await eventually(margin).toEqual([
        '2 estimate-mark groups\nGET v1/groups: about 1 call, at most 1, step 1',
        `4 estimate-mark estimate-mark-expensive groups.nodes.courses\nGET v2/groups/:id/courses: about ${courses} calls, at most 25, step 2`,
      ])

      // Variables count, also those of a mutation.
      const withVariables = 'query Q($first: Int!) { groups(first: $first) { nodes { courses(first: 1) { totalCount } } } }'
      for (const first of [1, 7]) {
        await panel.write({ query: withVariables, variables: { first } })
        const text = estimateText(await planOf(withVariables, { first }))
        await eventually(() => panel.estimate.innerText()).toBe(text)
      }
      const mutation = 'mutation { createCourse(input: { title: "Never" }) { ... on CreateCourseSuccess { course { title } } } }'
      await panel.write({ query: mutation })
      const ofMutation = estimateText(await planOf(mutation))
      await eventually(() => panel.estimate.innerText()).toBe(ofMutation)

      // The operation at the cursor, of several.
      const two = `query A { groups(first: 1) { totalCount } }\n${withVariables}`
      await panel.write({ query: two, variables: { first: 5 } })
      const ofA = estimateText(await planOf('{ groups(first: 1) { totalCount } }'))
      await eventually(() => panel.estimate.innerText()).toBe(ofA)
      await panel.clickWord('query-editor', 'courses')
      const ofQ = estimateText(await planOf(withVariables, { first: 5 }))
      expect(ofQ).not.toBe(ofA)
      await eventually(() => panel.estimate.innerText()).toBe(ofQ)

      // Nothing for a document that is not valid.
      await panel.write({ query: '{ nope }' })
      await panel.estimate.waitFor({ state: 'detached' })

      // A refusal: the field that costs most and the advice are shown as code.
      await panel.write({ query: REFUSED })
      const refused = await planOf(REFUSED)
      expect(levelOf(refused)).toBe('over')
      await eventually(() => panel.estimate.innerText()).toBe(estimateText(refused))
      expect(await panel.estimate.getAttribute('title')).toBe(estimateDetails(refused))
      const refusal = panel.page.locator('.status-refusal')
      await eventually(() => refusal.innerText()).toBe(refused.refusal?.replaceAll('`', ''))
      await eventually(() => refusal.locator('code').first().innerText()).toBe('groups.nodes.courses.nodes.lessons')
      expect(await refusal.evaluate((element) => element.closest('[role=status]') !== null)).toBe(true)
      expect(log).toEqual([])

      // A run teaches the gateway sizes.
      const learned = '{ lessons(first: 5) { nodes { quizzes(first: 1) { nodes { title } } } } }'
      await panel.write({ query: learned })
      await panel.run()
      await eventually(() => panel.estimate.count()).toBe(0)
      await panel.write({ query: `${learned} # again` })
      const afterwards = estimateText(await planOf(learned))
      await eventually(() => panel.estimate.innerText()).toBe(afterwards)
    }))

  it('says in one line what a response is like, and what of it belongs to an earlier query', () =>
    visit(async (panel) => {
      const { page, ran } = panel
      const parts = () => ran.locator('> *').allInnerTexts()
      await panel.write({ query: LIST })
      await eventually(() => panel.estimate.innerText()).toBe(`about 1 of ${MAX_CALLS} calls`)
      await panel.run()
      const response = JSON.stringify(JSON.parse(await panel.response()))
      const [status, time, bytes, calls, errors] = await parts()
      expect([status, bytes, calls, errors]).toEqual(['200', size(Buffer.byteLength(response)), `1 of ${MAX_CALLS} calls`, '0 errors'])
      // The call at the site is a part of the time that the page measures.
      expect(time).toMatch(/ m?s$/)
      expect(Number.parseFloat(time as string) * (time?.endsWith(' ms') ? 1 : 1000)).toBeGreaterThanOrEqual(LATENCY)
      for (const [part, about] of [
        ['200', 'HTTP status of the response'],
        [time, 'Time until this page had the whole response'],
        [bytes, 'Size of the response before compression'],
        [calls, 'The run made 1 REST call. A query may make 70.'],
      ]) {
        expect(await ran.getByTitle(about as string).innerText()).toBe(part)
      }

      // The number of calls leads to the calls, also by keyboard.
      await page.getByRole('button', { name: 'Calls', exact: true }).click()
      await eventually(() => panel.list.isVisible()).toBe(false)
      await panel.tabTo(ran.getByRole('button', { name: calls as string }))
      await page.keyboard.press('Enter')
      await panel.list.waitFor()

      await panel.write({ query: DEEP })
      await eventually(parts).toEqual(['Last run:', status, time, bytes, calls, errors])
      await eventually(() => panel.estimate.innerText()).toMatch(/^about \d+ of 70 calls$/)
      await page.getByText('You have changed the query since this response.').waitFor()
      await page.getByRole('button', { name: 'Run again' }).click()
      await panel.ended()
      expect(await page.locator('.old-response').count()).toBe(0)
      await panel.write({ query: DEEP, variables: { unused: 1 } })
      await page.getByText('You have changed the variables since this response.').waitFor()
      await panel.write({ query: DEEP, as: 'admin' })
      await page.getByText('You have changed the user or the headers since this response.').waitFor()
      await panel.write({ query: DEEP })
      await page.locator('.old-response').waitFor({ state: 'detached' })
    }))

  it('counts errors and leads to each of them, and marks a call as failed only if the response has an error of it', () =>
    visit(async (panel) => {
      const { page, ran } = panel
      await panel.write({
        query:
          '{ nobody: course(id: 99999999) { title } three: user(id: 3) { courseProgress { totalCount } } four: user(id: 4) { courseProgress { totalCount } } }',
      })
      await panel.run()
      expect(JSON.parse(await panel.response())).toMatchObject({ data: { nobody: null }, errors: [{}, {}] })
      const rows = () =>
        panel.rows.evaluateAll((all) =>
          all.map((row) => [
            /\d+/.exec(row.querySelector('.calls-status')?.textContent ?? '')?.[0],
            row.classList.contains('calls-error'),
            row.querySelector('em')?.textContent,
          ]),
        )
      await eventually(async () => (await rows()).sort()).toEqual([
        ['401', true, undefined],
        ['401', true, undefined],
        ['404', false, 'no error'],
      ])

      const selected = () =>
        page.evaluate(() => {
          const { editor } = (globalThis as any).__MONACO
          const response = editor.getEditors().find((each: any) => each.getModel().uri.path.endsWith('response.json'))
          const [range] = response.getVisibleRanges()
          const selection = response.getSelection()
          const isVisible = range.startLineNumber <= selection.startLineNumber && selection.startLineNumber <= range.endLineNumber
          return [response.getModel().getValueInRange(selection), isVisible, response.hasTextFocus()]
        })
      const errors = ran.getByRole('button', { name: '2 errors' })
      for (const field of ['"three"', '"four"', '"three"']) {
        await errors.focus()
        await page.keyboard.press('Enter')
        await eventually(selected).toEqual([expect.stringContaining(field), true, true])
      }
    }))

  it('shows the whole plan beside an open pane, without columns that nobody sees', () =>
    visit(async (panel) => {
      const { page } = panel
      const query = '{ user(id: 3) { courseProgress(first: 3) { nodes { course { title } } } } groups(first: 2) { totalCount } }'
      await panel.write({ query })
      for (const width of [1400, 1000, 800]) {
        await page.setViewportSize({ width, height: 900 })
        await page.getByRole('button', { name: 'Show Fields' }).click()
        await page.locator('.calls-plan').waitFor()
        const { table, heads, route } = await page.evaluate(() => {
          const rightOf = (element: Element) => element.getBoundingClientRect().right
          const table = document.querySelector('.calls-plan') as HTMLElement
          const heads = [...table.querySelectorAll('thead th')].filter((each) => getComputedStyle(each).display !== 'none')
          const cell = table.querySelector('td') as HTMLElement
          return { table: rightOf(table), heads: heads.map(rightOf), route: cell.getBoundingClientRect().width / table.clientWidth }
        })
        // The last column ends where the table ends, and the routes have the room.
        expect(Math.abs(table - (heads.at(-1) as number)), `${width}`).toBeLessThan(1)
        expect(route, `${width}`).toBeGreaterThan(heads.length === 2 ? 0.6 : 0.5)
        await page.getByRole('button', { name: 'Hide Fields' }).click()
      }
      expect(await page.locator('.calls-plan .calls-number[title="at most 1"]').count()).toBeGreaterThan(0)
      await page.locator('.calls-plan').getByText('at most 1').first().waitFor({ state: 'attached' })
    }))

  it('works by keyboard alone, and remembers its height and whether it is open', () =>
    visit(async (panel) => {
      const { page } = panel
      await panel.write({ query: '{ groups(first: 3) { nodes { courses(first: 1) { totalCount } } } }' })
      await panel.tabTo(page.getByRole('button', { name: /^Execute query/ }))
      await page.keyboard.press('Enter')
      await panel.ended()

      const handle = page.getByRole('separator', { name: 'Height of the calls' })
      await panel.tabTo(handle)
      const heightNow = async () => Number(await handle.getAttribute('aria-valuenow'))
      const height = await heightNow()
      await page.keyboard.press('ArrowUp')
      await eventually(heightNow).toBeGreaterThan(height)

      await panel.tabTo(panel.list)
      await page.keyboard.press('End')
      const active = async () =>
        page.locator(`[id="${await panel.list.getAttribute('aria-activedescendant')}"] .calls-route`).getAttribute('title')
      await eventually(active).toMatch(/^GET v2\/groups\/:id\/courses, id \d+, step 2, [\d.]+ ms, status 200, \d+ B$/)
      await page.keyboard.press('Home')
      await eventually(active).toMatch(/^GET v1\/groups, step 1, /)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await eventually(active).toMatch(/^GET v2\/groups\/:id\/courses, /)
      const chosen = panel.list.getByRole('option', { selected: true })
      await eventually(() => chosen.locator('.calls-route').getAttribute('title')).toBe(await active())
      const name = (await active()) as string
      await eventually(() => panel.list.getByRole('option', { selected: true, name, exact: true }).count()).toBe(1)
      await eventually(() => panel.marked('operation.graphql')).toEqual(['courses'])
      await page.keyboard.press('Escape')
      await eventually(() => panel.marked('operation.graphql')).toEqual([])

      const toggle = page.getByRole('button', { name: 'Calls', exact: true })
      await toggle.focus()
      await page.keyboard.press('Enter')
      await eventually(async () => [await toggle.getAttribute('aria-expanded'), await panel.list.isVisible()]).toEqual(['false', false])
      await page.reload()
      await eventually(() => toggle.getAttribute('aria-expanded')).toBe('false')
      await toggle.click()
      await eventually(heightNow).toBe(height + 24)
    }))

  it('says that a run was stopped, and who may see calls', async () => {
    await visit(async (panel) => {
      await lms.set({ latency: { median: 20_000, p95: 20_000 } })
      try {
        await panel.write({ query: LIST })
        await panel.page.getByRole('button', { name: /^Execute query/ }).click()
        await panel.page.getByText('The query is running.').waitFor()
        await panel.page.getByRole('button', { name: /^Stop query/ }).click()
        await panel.page.getByText(/^The run was stopped before its response was complete/).waitFor()
      } finally {
        await lms.set({ latency: { median: LATENCY, p95: LATENCY } })
      }
    })
    await visit(
      async (panel) => {
        await panel.write({ query: LIST })
        await panel.page.getByRole('button', { name: /^Execute query/ }).click()
        await panel.page.getByText(/REST calls are not shown to you.*EXPLAIN_FOR/).waitFor()
        await eventually(() => panel.response()).toContain('"groups"')
        expect(await panel.estimate.count()).toBe(0)
      },
      { of: closed },
    )
  })

  it.each(['light', 'dark'] as const)('has no violations that axe finds, in the %s theme', (colorScheme) =>
    visit(
      async (panel) => {
        const violations = () =>
          panel.page.evaluate(async () => {
            const { violations } = await (globalThis as any).axe.run({ include: [['.calls'], ['.status-bar'], ['.notice']] })
            return violations.map(
              ({ id, nodes }: any) => `${id}: ${nodes.map(({ html, failureSummary }: any) => `${html} ${failureSummary}`).join('; ')}`,
            )
          })
        await panel.page.evaluate(AXE)
        await panel.write({ query: '{ groups(first: 1) { totalCount } user(id: 3) { courseProgress { totalCount } } }' })
        await panel.run()
        await panel.rows.first().click()
        await panel.clickWord('response', '"courseProgress"')
        await eventually(() => panel.page.locator('.calls-at-cursor').count()).toBeGreaterThan(0)
        expect(await violations()).toEqual([])
        await panel.rows.first().click()
        await panel.write({ query: REFUSED })
        await panel.page.locator('.status-refusal').waitFor()
        expect(await violations()).toEqual([])
        await panel.run()
        expect(await violations()).toEqual([])
      },
      { colorScheme },
    ),
  )
})
