import type { Browser, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedGateway, startGateway } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { authorizationOf, type Login } from '../support/world.js'
import { launchChromium, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { eventually, type Screen, visit } from './screen.js'

// The operations in front of a site of which the page knows nothing: its ids, users and records are not those of the sample school.

const NAME = `the operations of GraphiQL in front of a real site${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 6 * PATIENCE }, () => {
  let lms: RunningLms
  let gateway: StartedGateway
  let browser: Browser

  beforeAll(async () => {
    lms = await startLms({ profile: 'learndash' })
    gateway = await startGateway({ site: { url: lms.url, preset: 'learndash' }, http: { port: 0 } })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    await lms?.close()
  })

  /** Opens and runs each operation. Returns whether it had errors, and what the page says about it; and the queries for ids. */
  async function runAll(screen: Screen) {
    const asked: string[] = []
    screen.page.on('request', (request) => {
      const query: string = request.postDataJSON()?.query ?? ''
      if (query.includes('SiteIds')) asked.push(query)
    })
    await screen.show('Operations')
    const seen: Record<string, readonly [problem: boolean, notice: string]> = {}
    for (const title of await screen.page.locator('.operations strong').allInnerTexts()) {
      await screen.choose(title)
      const text = JSON.stringify((await screen.run()).answer)
      await eventually(() => screen.start.count()).toBe(0)
      seen[title] = [/"errors":|"code":"/.test(text), await screen.notice.innerText()]
    }
    return { seen, asked }
  }

  /** The id of the first course that an administrator may read. */
  async function firstCourse(): Promise<unknown> {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: authorizationOf('admin') },
      body: JSON.stringify({ query: '{ courses(first: 1) { nodes { databaseId } } }' }),
    })
    return ((await response.json()) as any).data.courses.nodes[0].databaseId
  }

  const signIn = (screen: Screen, login: Login) =>
    screen.write('request-headers.json', JSON.stringify({ authorization: authorizationOf(login) }))

  const SIGN_IN = 'Change the user at the top right to one who may see more'
  const OR_PUT = `${SIGN_IN} and open the operation again, or put ids into the variables.`
  const CHOOSE_QUESTIONS =
    'Put the ids of three questions into the variables. The REST interface has no list of questions; the address of a question in the editor of the site has its id.'
  const CHOOSE_RECORDS = 'Put the ids of a course and a group into the variables. The example changes both of them when it runs.'
  const FINE = [false, ''] as const

  it('run for an administrator with the ids of the site', () =>
    visit(browser, `${gateway.url}/graphql`, async (screen) => {
      await signIn(screen, 'admin')
      const { seen, asked } = await runAll(screen)
      expect(seen).toEqual({
        'Groups and their courses': FINE,
        "A learner's dashboard": FINE,
        'Catalogue page with filters': FINE,
        'A course page': FINE,
        "A group leader's overview": FINE,
        'Progress of two learners side by side': FINE,
        "Review of a quiz's questions": [true, CHOOSE_QUESTIONS],
        'Search over the whole school': FINE,
        'Records by their global ids': FINE,
        'Create a course': FINE,
        'Change and add': [true, CHOOSE_RECORDS],
        "A learner's home": FINE,
        'The page of a locked course': FINE,
        'A map of prerequisites': FINE,
      })
      expect(asked).toEqual([
        'query SiteIds { courses(first: 2) { nodes { id databaseId author { id databaseId } } } }',
        'query SiteIds { groups(first: 2) { nodes { id databaseId } } priceTypes { id } }',
        'query SiteIds { viewer { id databaseId } }',
      ])
      await screen.choose('A course page')
      // The id is the one of a course of the site, and a number, as in the samples.
      const { id } = JSON.parse(await screen.textOf('variables.json'))
      const { course } = ((await screen.run()).answer as any).data
      expect(course).toMatchObject({ title: expect.any(String), author: { name: expect.any(String) } })
      expect(id).toBe(await firstCourse())
    }))

  it('say to a learner what they need, and run with the ids of an administrator who signs in after that', () =>
    visit(browser, `${gateway.url}/graphql`, async (screen) => {
      await signIn(screen, 'learner')
      const { seen } = await runAll(screen)
      const forSome = `The site shows these records to some users only, for example to administrators. ${SIGN_IN}.`
      const need =
        'This operation needs a signed-in user who may read the courses, because a site shows progress to the learner and to administrators only, and some sites show courses to administrators only.'
      const forLearner = `${need} ${SIGN_IN}.`
      expect(seen).toEqual({
        'Groups and their courses': [true, forSome],
        // The progress is shown, without the courses.
        "A learner's dashboard": [true, forLearner],
        'Catalogue page with filters': [true, forSome],
        'A course page': [true, `The site shows you no course. ${OR_PUT}`],
        "A group leader's overview": [true, `The site shows you no group. ${OR_PUT}`],
        'Progress of two learners side by side': [
          true,
          `The site shows you no author of a course. This operation needs an administrator, because others may not read the progress of two users. ${OR_PUT}`,
        ],
        "Review of a quiz's questions": [true, CHOOSE_QUESTIONS],
        'Search over the whole school': [true, forSome],
        'Records by their global ids': [true, `The site shows you no course and no group. ${OR_PUT}`],
        'Create a course': [true, `This operation needs an administrator, because only they may create courses in every site. ${SIGN_IN}.`],
        'Change and add': [true, CHOOSE_RECORDS],
        // The lessons are shown, without the courses.
        "A learner's home": [true, forLearner],
        'The page of a locked course': [true, `The site shows you no course. ${OR_PUT}`],
        'A map of prerequisites': [true, `The site shows you no course. ${OR_PUT}`],
      })
      // No operation has an error that is not explained.
      expect(Object.values(seen).filter(([problem, notice]) => problem && notice === '')).toEqual([])

      await screen.choose('A course page')
      await signIn(screen, 'admin')
      await screen.choose('A course page')
      await eventually(() => screen.notice.innerText()).toBe('You have changed the variables since this response. Run again')
      expect((await screen.run()).answer).toMatchObject({ data: { course: { title: expect.any(String) } } })
      await eventually(() => screen.notice.innerText()).toBe('')
    }))

  it('are opened in the right tab when their ids arrive late, and no running operation writes into it', () =>
    visit(browser, `${gateway.url}/graphql`, async (screen) => {
      const { page, tabs, start } = screen
      await signIn(screen, 'admin')

      // The site does not tell the ids at first.
      const refuse = (route: Route) =>
        route.request().postData()?.includes('SiteIds') ? route.fulfill({ json: { data: null } }) : route.fallback()
      await page.route('**/graphql', refuse)
      await screen.choose('A course page')
      await screen.choose('Groups and their courses')
      await eventually(() => tabs.allInnerTexts()).toEqual(['GroupsAndCourses', 'CoursePage'])
      await page.unroute('**/graphql', refuse)

      const tell = await screen.hold('SiteIds')
      await page.locator('.operations button').filter({ hasText: 'A course page' }).click()
      await page.getByRole('button', { name: 'Close GroupsAndCourses' }).click()
      await eventually(() => tabs.allInnerTexts()).toEqual(['CoursePage'])
      tell()
      await eventually(() => screen.textOf('variables.json')).toMatch(/"id": \d+/)
      expect(await tabs.allInnerTexts()).toEqual(['CoursePage'])

      const answer = await screen.hold('query CoursePage')
      await screen.send('query CoursePage')
      await screen.choose("A group leader's overview")
      answer()
      await page.waitForTimeout(1000)
      await eventually(() => tabs.allInnerTexts()).toEqual(['CoursePage', 'GroupOverview'])
      expect([await screen.textOf('response.json'), await start.isVisible()]).toEqual(['', true])
      expect((await screen.run()).answer).toMatchObject({ data: { group: expect.anything() } })
    }))

  it('say before they run that they write, and write nothing until then', () =>
    visit(browser, `${gateway.url}/graphql`, async (screen) => {
      const written: string[] = []
      screen.page.on('request', (request) => {
        if (/\bmutation\b/.test(request.postDataJSON()?.query ?? '')) written.push(request.postData() ?? '')
      })
      await signIn(screen, 'admin')
      for (const title of ['Create a course', 'Change and add']) {
        await screen.choose(title)
        await screen.start.getByText('It changes records of the site when you run it.').waitFor()
        expect(await screen.page.locator('.operations [aria-current]').getByText('Changes records').isVisible()).toBe(true)
      }
      expect(written).toEqual([])
    }))
})
