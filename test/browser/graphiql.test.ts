import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, type Observed, openContext, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { startPage, USERS } from './start-page.js'

const userOf = (login: string) => USERS.find((user) => user.login === login) as (typeof USERS)[number]
const [admin, learner] = [userOf('admin'), userOf('learner')]

/** Names of the operations in `schema/operations`, in file order. GraphiQL uses them as names of tabs. */
const TABS = [
  'GroupsAndCourses',
  'LearnerDashboard',
  'Catalogue',
  'CoursePage',
  'GroupOverview',
  'ProgressTable',
  'QuizReview',
  'Search',
  'Nodes',
  'CreateCourse',
  'ChangeAndAdd',
]
/** The operation of a learner. */
const LEARNERS = TABS.indexOf('LearnerDashboard')

/** The message for anonymous callers who read the progress of a user. */
const REFUSED = { data: { user: { courseProgress: null } }, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }

/** Repeats a read until the expectation holds, with a timeout for busy machines. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: PATIENCE })

/** The GraphiQL page. */
class Screen {
  constructor(
    readonly page: Page,
    readonly observed: Observed,
  ) {}

  get signedInAs(): Locator {
    return this.page.getByLabel('Signed in as')
  }

  get tabs(): Locator {
    return this.page.getByRole('tab')
  }

  /** Presses the play button. Returns the request, and the response that the page shows. */
  async run(): Promise<{ request: Request; answer: unknown }> {
    const [request] = await Promise.all([
      this.page.waitForRequest((candidate) => candidate.method() === 'POST' && !candidate.postData()?.includes('__schema')),
      this.page.getByRole('button', { name: /^Execute query/ }).click(),
    ])
    const shown = () =>
      this.page.evaluate(() =>
        (globalThis as any).__MONACO.editor
          .getModels()
          .find((model: any) => model.uri.path.endsWith('response.json'))
          .getValue(),
      )
    await eventually(shown).toMatch(/^\{[\s\S]*\}$/)
    return { request, answer: JSON.parse(await shown()) }
  }
}

const NAME = `GraphiQL in Chromium, cut off from all but loopback${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 4 * PATIENCE }, () => {
  let site: Awaited<ReturnType<typeof startPage>>
  let browser: Browser

  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startPage(), launchChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /** Opens the page in a new profile, runs the test, and expects that the page had no problems. */
  async function visit(use: (screen: Screen) => Promise<void>, options?: BrowserContextOptions): Promise<void> {
    const { context, observed } = await openContext(browser, options)
    try {
      const screen = new Screen(await context.newPage(), observed)
      await open(screen)
      await use(screen)
      expect(observed).toEqual({ problems: [], foreign: [] })
    } catch (error) {
      throw new Error(`${error}\nWhat the browser saw: ${JSON.stringify(observed, null, 2)}`, { cause: error })
    } finally {
      await context.close()
    }
  }

  /** Opens the page, and waits for all editors. The choice of users appears last. */
  async function open({ page }: Screen, address = site.page): Promise<void> {
    await page.goto(address)
    await page.locator('.graphiql-query-editor .view-line').first().waitFor()
    await page.locator('.graphiql-response .monaco-editor').waitFor()
    await eventually(() => page.locator('select:disabled').count()).toBe(0)
  }

  it('opens the examples as tabs, runs the first anonymously by the play button, and shows history and documentation', () =>
    visit(async (screen) => {
      const { page, tabs, signedInAs } = screen
      expect(await tabs.allInnerTexts()).toEqual(TABS)
      expect(await tabs.first().getAttribute('aria-selected')).toBe('true')
      expect(await signedInAs.locator('option').allTextContents()).toEqual([
        'anonymous',
        ...USERS.map(({ name, role }) => `${name} (${role})`),
      ])

      const { request, answer } = await screen.run()
      expect(answer).not.toHaveProperty('errors')
      expect(answer).toMatchObject({ data: { groups: { totalCount: 15, nodes: [{ title: 'Business Certificate' }, {}, {}] } } })
      expect(await request.headerValue('authorization')).toBeNull()

      await page.getByRole('button', { name: 'Show History' }).click()
      await eventually(() => page.locator('.graphiql-history-item').allInnerTexts()).toEqual(['GroupsAndCourses'])

      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
      const docs = page.locator('.graphiql-doc-explorer')
      await docs.getByText('Query', { exact: true }).click()
      await docs.getByText('The fields that read.').waitFor()
      await docs.getByText('Groups of the site.').waitFor()
    }))

  it('runs every tab without errors with its user and variables, and users can be chosen by keyboard', () =>
    visit(async (screen) => {
      for (const tab of await screen.tabs.all()) {
        await tab.click()
        expect(await screen.run()).not.toHaveProperty('answer.errors')
      }
      await screen.tabs.nth(LEARNERS).click()
      expect(await screen.signedInAs.inputValue()).toBe(learner.login)
      expect(await screen.run()).toMatchObject({ answer: { data: { user: { courseProgress: { totalCount: 12 } } } } })

      await screen.tabs.first().click()
      await screen.signedInAs.focus()
      await screen.page.keyboard.press('ArrowDown')
      expect(await screen.signedInAs.inputValue()).toBe(admin.login)
    }))

  it('changes the user of the current tab only, and stores it', () =>
    visit(async (screen) => {
      await screen.signedInAs.selectOption(admin.login)
      const { request } = await screen.run()
      expect(await request.headerValue('authorization')).toBe(admin.authorization)
      await screen.tabs.nth(LEARNERS).click()
      expect(await screen.signedInAs.inputValue()).toBe(learner.login)
      await screen.signedInAs.selectOption('anonymous')
      expect((await screen.run()).answer).toMatchObject(REFUSED)

      const stored = () => screen.page.evaluate(() => localStorage.getItem('graphiql:tabState'))
      await eventually(stored).toContain('"headers":""') // GraphiQL stores its tabs half a second after the last change.
      await open(screen)
      expect(await screen.tabs.allInnerTexts()).toEqual(TABS)
      expect(await screen.signedInAs.inputValue()).toBe('')
      expect((await screen.run()).answer).toMatchObject(REFUSED)
      await screen.tabs.first().click()
      expect(await screen.signedInAs.inputValue()).toBe(admin.login)
    }))

  it('opens a closed example again, with its user and variables', () =>
    visit(async (screen) => {
      const open = async (title: string) => {
        await screen.page.getByRole('button', { name: 'Open an example' }).click()
        await screen.page.getByRole('menuitem', { name: title }).click()
      }
      const others = TABS.filter((_, index) => index !== LEARNERS)
      await screen.tabs.nth(LEARNERS).click()
      await screen.tabs.nth(LEARNERS).getByRole('button', { name: 'Close Tab' }).click()
      expect(await screen.tabs.allInnerTexts()).toEqual(others)
      await open("A learner's dashboard")
      await eventually(() => screen.tabs.allInnerTexts()).toEqual([...others, 'LearnerDashboard'])
      expect((await screen.run()).answer).toMatchObject({ data: { user: { courseProgress: { totalCount: 12 } } } })
      await open('Groups and their courses')
      expect(await screen.tabs.first().getAttribute('aria-selected')).toBe('true')
      expect(await screen.tabs.count()).toBe(TABS.length)
    }))

  it('offers no users when there are none', () =>
    visit(async (screen) => {
      await screen.page.route('**/graphiql/config.json', (route) => route.fulfill({ json: { users: [] } }))
      await open(screen)
      expect(await screen.run()).not.toHaveProperty('answer.errors')
      expect(await screen.signedInAs.count()).toBe(0)
    }))

  it('works at the path at which Express has mounted it, with its workers', () =>
    visit(async (screen) => {
      await open(screen, site.mounted)
      const { request, answer } = await screen.run()
      expect([request.url(), answer]).toEqual([site.mounted, expect.not.objectContaining({ errors: expect.anything() })])
      const editor = screen.page.locator('.graphiql-query-editor')
      await editor.locator('.view-lines').click()
      await screen.page.keyboard.press('Control+A')
      await screen.page.keyboard.type('{ nope }')
      await editor.locator('.squiggly-error').first().waitFor()
    }))

  it('completes and validates in workers, prettifies with lazy chunks, and uses the colour scheme of the system', () =>
    visit(
      async ({ page }) => {
        const editor = page.locator('.graphiql-query-editor')
        await editor.locator('.view-lines').click()
        await page.keyboard.press('Control+A')
        await page.keyboard.type('query   Oops { nope }')
        await editor.locator('.squiggly-error').first().waitFor()
        await page.getByRole('button', { name: /^Prettify query/ }).click()
        await eventually(() => editor.locator('.view-line').count()).toBeGreaterThanOrEqual(3)

        const colour = await page.locator('.graphiql-container').evaluate((element) => getComputedStyle(element).backgroundColor)
        expect(Math.max(...(colour.match(/\d+/g) ?? []).slice(0, 3).map(Number))).toBeLessThan(80)
      },
      { colorScheme: 'dark' },
    ))
})
