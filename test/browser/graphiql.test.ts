import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { eventually, type Screen, visit as visitPage } from './screen.js'
import { startPage, USERS } from './start-page.js'

const userOf = (login: string) => USERS.find((user) => user.login === login) as (typeof USERS)[number]
const [admin, learner] = [userOf('admin'), userOf('learner')]

/** The operations of this repository, in the order of the pane: titles, and names of the operations, which GraphiQL uses as names of tabs. */
const OPERATIONS: readonly (readonly [title: string, tab: string])[] = [
  ['Groups and their courses', 'GroupsAndCourses'],
  ['Catalogue page with filters', 'Catalogue'],
  ['A course page', 'CoursePage'],
  ['Search over the whole school', 'Search'],
  ['Records by their global ids', 'Nodes'],
  ["A learner's dashboard", 'LearnerDashboard'],
  ["A learner's home", 'LearnerHome'],
  ['The page of a locked course', 'LockedCourse'],
  ['A map of prerequisites', 'PrerequisiteMap'],
  ["A group leader's overview", 'GroupOverview'],
  ['Progress of two learners side by side', 'ProgressTable'],
  ["Review of a quiz's questions", 'QuizReview'],
  ['Create a course', 'CreateCourse'],
  ['Change and add', 'ChangeAndAdd'],
]
const DASHBOARD = "A learner's dashboard"

/** What the dashboard is for callers who are not signed in. */
const REFUSED = { data: { viewer: null } }

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

  const visit = (use: (screen: Screen) => Promise<void>, options?: BrowserContextOptions) => visitPage(browser, site.page, use, options)

  it('shows what to try in place of a response, runs the first operation anonymously, and shows history and documentation', () =>
    visit(async (screen) => {
      const { page, tabs, start, signedInAs } = screen
      await eventually(() => tabs.allInnerTexts()).toEqual(['GroupsAndCourses'])
      expect(await signedInAs.locator('option').allTextContents()).toEqual([
        'visitor, not signed in',
        ...USERS.map(({ name, role }) => `${name} (${role})`),
      ])
      await eventually(() => start.getByRole('heading').allInnerTexts()).toEqual([
        'lms-graphql',
        'Run “Groups and their courses”',
        'Read what a field costs',
        'Run it as another user',
      ])
      expect(await page.locator('.result-window').isVisible()).toBe(false)

      const { request, answer } = await screen.run()
      expect(answer).not.toHaveProperty('errors')
      expect(answer).toMatchObject({ data: { groups: { totalCount: 15, nodes: [{ title: 'Business Certificate' }, {}, {}] } } })
      expect(await request.headerValue('authorization')).toBeNull()
      await eventually(async () => [await start.count(), await page.locator('.result-window').isVisible()]).toEqual([0, true])

      await screen.show('History')
      await eventually(() => page.locator('.graphiql-history-item').allInnerTexts()).toEqual(['GroupsAndCourses'])

      await screen.show('Documentation Explorer')
      const docs = page.locator('.graphiql-doc-explorer')
      await docs.getByText('Query', { exact: true }).click()
      await docs.getByText('The fields that read.').waitFor()
      await docs.getByText('Groups of the site.').waitFor()

      await page.getByRole('button', { name: 'New tab' }).click()
      await start.getByRole('button', { name: 'Open' }).click()
      await eventually(() => tabs.first().getAttribute('aria-current')).toBe('true')
    }))

  it('lists all operations, and runs each without errors with its user and variables; users can be chosen by keyboard', () =>
    visit(async (screen) => {
      await screen.start.getByRole('button', { name: 'Show all operations' }).click()
      await eventually(() => screen.page.locator('.operations strong').allInnerTexts()).toEqual(OPERATIONS.map(([title]) => title))
      expect(await screen.page.locator('.operations h3').allInnerTexts()).toEqual(['For visitors', 'For learners', 'For editors'])
      expect(await screen.start.getByRole('button', { name: /^Show all/ }).count()).toBe(0)
      for (const [title] of OPERATIONS) {
        await screen.choose(title)
        expect(await screen.run()).not.toHaveProperty('answer.errors')
        expect(await screen.notice.innerText()).toBe('')
      }
      await eventually(() => screen.tabs.allInnerTexts()).toEqual(OPERATIONS.map(([, tab]) => tab))
      await screen.choose(DASHBOARD)
      await eventually(() => screen.signedInAs.inputValue()).toBe(learner.login)
      expect(await screen.run()).toMatchObject({ answer: { data: { viewer: { courseProgress: { totalCount: 12 } } } } })

      await screen.tabs.first().click()
      await screen.signedInAs.focus()
      await screen.page.keyboard.press('ArrowDown')
      await eventually(() => screen.signedInAs.inputValue()).toBe(admin.login)
    }))

  it('changes the user of the current tab only, stores it, and says what a refused operation needs', () =>
    visit(async (screen) => {
      await screen.signedInAs.selectOption(admin.login)
      const { request } = await screen.run()
      expect(await request.headerValue('authorization')).toBe(admin.authorization)
      await screen.choose(DASHBOARD)
      await eventually(() => screen.signedInAs.inputValue()).toBe(learner.login)
      await screen.signedInAs.selectOption('visitor, not signed in')
      expect((await screen.run()).answer).toMatchObject(REFUSED)
      await eventually(() => screen.notice.innerText()).toBe(
        'This operation needs a signed-in user who may read the courses, because a site shows progress to the learner and to administrators only, and some sites show courses to administrators only. Choose Lena Learner at the top right.',
      )

      const stored = () => screen.page.evaluate(() => localStorage.getItem('graphiql:tabState'))
      await eventually(stored).toContain('"headers":""') // GraphiQL stores its tabs half a second after the last change.
      await screen.open(site.page)
      await eventually(() => screen.tabs.allInnerTexts()).toEqual(['GroupsAndCourses', 'LearnerDashboard'])
      await eventually(() => screen.signedInAs.inputValue()).toBe('')
      await eventually(() => screen.start.getByRole('heading').nth(1).innerText()).toBe(`Run “${DASHBOARD}”`)
      expect((await screen.run()).answer).toMatchObject(REFUSED)
      await screen.tabs.first().click()
      await eventually(() => screen.signedInAs.inputValue()).toBe(admin.login)
    }))

  it('takes back its advice when somebody signs in, and says that the response is that of another user', () =>
    visit(async (screen) => {
      const { notice, signedInAs } = screen
      await screen.choose(DASHBOARD)
      await signedInAs.selectOption('visitor, not signed in')
      await screen.run()
      await notice.getByText(/^This operation needs .* Choose Lena Learner at the top right\.$/).waitFor()
      await signedInAs.selectOption(learner.login)
      await eventually(() => notice.innerText()).toMatch(/^You have changed the user or the headers since this response\.\s+Run again$/)
      await notice.getByRole('button', { name: 'Run again' }).click()
      await eventually(() => notice.innerText()).toBe('')
      await eventually(() => screen.textOf('response.json')).toContain('"totalCount": 12')
    }))

  it('hides the editor of variables until there is a use for it', () =>
    visit(async (screen) => {
      const { page, tabs } = screen
      const isShown = () => page.getByRole('button', { name: 'Hide editor tools' }).isVisible()
      // The variables of the first operation have defaults.
      await eventually(isShown).toBe(false)
      await screen.choose('A course page')
      await eventually(isShown).toBe(true)
      await tabs.first().click()
      await eventually(isShown).toBe(false)
      await page.getByRole('button', { name: 'New tab' }).click()
      await eventually(isShown).toBe(false)
      await screen.write('operation.graphql', 'query ($id: ID = 7, $slugs: [ID!] = []) { course(id: $id) { title } }')
      expect(await isShown()).toBe(false)
      await screen.write('operation.graphql', 'query ($id: ID!) { course(id: $id) { title } }')
      await eventually(isShown).toBe(true)
      // Who hides it has it hidden while the tab is open.
      await page.getByRole('button', { name: 'Hide editor tools' }).click()
      await screen.write('operation.graphql', 'query ($id: ID!) { course(id: $id) { id title } }')
      expect(await isShown()).toBe(false)
    }))

  it('opens a closed operation again, with its user and variables, and keeps a changed one', () =>
    visit(async (screen) => {
      await screen.choose(DASHBOARD)
      await eventually(() => screen.tabs.allInnerTexts()).toEqual(['GroupsAndCourses', 'LearnerDashboard'])
      await screen.page.getByRole('button', { name: 'Close LearnerDashboard' }).click()
      await eventually(() => screen.tabs.allInnerTexts()).toEqual(['GroupsAndCourses'])
      await screen.page.waitForTimeout(500) // GraphiQL reads its editors a tenth of a second after a change.
      await screen.choose(DASHBOARD)
      await eventually(() => screen.tabs.allInnerTexts()).toEqual(['GroupsAndCourses', 'LearnerDashboard'])
      expect((await screen.run()).answer).toMatchObject({ data: { viewer: { courseProgress: { totalCount: 12 } } } })
      await screen.write('operation.graphql', (await screen.textOf('operation.graphql')).replace('totalCount', 'all: totalCount'))
      await screen.choose('Groups and their courses')
      await eventually(() => screen.tabs.first().getAttribute('aria-current')).toBe('true')
      await screen.choose(DASHBOARD)
      await eventually(() => screen.tabs.count()).toBe(2)
      expect((await screen.run()).answer).toMatchObject({ data: { viewer: { courseProgress: { all: 12 } } } })
    }))

  it('offers no users when there are none', () =>
    visit(async (screen) => {
      const config = { users: [], embedded: false, explain: true, signIn: [], maxCalls: 300 }
      await screen.page.route('**/graphiql/config.json', (route) => route.fulfill({ json: config }))
      await screen.open(site.page)
      await eventually(() => screen.start.getByRole('heading').allInnerTexts()).toEqual([
        'lms-graphql',
        'Run “Groups and their courses”',
        'See what it costs',
        'Change the query',
      ])
      expect(await screen.run()).not.toHaveProperty('answer.errors')
      expect(await screen.signedInAs.count()).toBe(0)
    }))

  it('works at the path at which it is mounted, with its workers', () =>
    visit(async (screen) => {
      await screen.open(site.mounted)
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
      async (screen) => {
        const { page } = screen
        const editor = page.locator('.graphiql-query-editor')
        await editor.locator('.view-lines').click()
        await page.keyboard.press('Control+A')
        await page.keyboard.type('query   Oops { nope }')
        await editor.locator('.squiggly-error').first().waitFor()
        await page.getByRole('button', { name: /^Prettify query/ }).click()
        await eventually(() => editor.locator('.view-line').count()).toBeGreaterThanOrEqual(3)

        // Numbers are ids, texts are no numbers, and dashes and quotes have no box around them.
        const variables = page.locator('.graphiql-editor-tool')
        const marks = () => variables.locator('.squiggly-error').count()
        await screen.write(
          'operation.graphql',
          '# “Quoted” – a dash\nquery Q($id: ID!, $n: Int) { course(id: $id) { lessons(first: $n) { totalCount } } }',
        )
        await screen.write('variables.json', '{"id": 10001, "n": "text"}')
        await eventually(marks).toBe(1)
        await screen.write('variables.json', '{"id": 10001, "n": 1}')
        await eventually(marks).toBe(0)
        await screen.write('variables.json', '{"id": true, "n": 1}')
        await eventually(marks).toBe(1)
        expect(await page.locator('.unicode-highlight').count()).toBe(0)

        const colour = await page.locator('.graphiql-container').evaluate((element) => getComputedStyle(element).backgroundColor)
        expect(Math.max(...(colour.match(/\d+/g) ?? []).slice(0, 3).map(Number))).toBeLessThan(80)
      },
      { colorScheme: 'dark' },
    ))
})
