import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { FITS, layout, violations } from './barriers.js'
import { launchChromium, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { eventually, type Screen, visit as visitPage } from './screen.js'

// The collection of a team, whose folder is in front of the embedded LMS.

const FILES: Readonly<Record<string, string>> = {
  'Ping.graphql': 'query Ping { __typename }',
  'account/me.graphql': '# Who I am\n# group: For learners\n# role: learner\nquery WhoAmI { viewer { name } }',
  'courses/lists.graphql': 'query CourseTitles { courses { nodes { title } } }\n\nquery CourseCount { courses { totalCount } }',
  'courses/page.graphql':
    '# The page of a course\n# Its title, and its `link`.\n# group: Pages\n# variables: {"id": 10001}\nquery CoursePage($id: ID!) { course(id: $id) { ...card } }',
  'courses/parts/card.graphql': 'fragment card on Course { title link }',
  'courses/edit/rename.graphql':
    '# Rename a course\n# role: administrator\n# needs: an administrator, because others may not change courses\nmutation RenameCourse($id: ID!, $title: String!) { updateCourse(input: { id: $id, title: $title }) { __typename } }',
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A gateway in front of the embedded LMS, with a folder of operations. */
class Team {
  readonly folder = mkdtempSync(join(tmpdir(), 'operations-'))
  private readonly command: Command
  url = ''

  constructor(files: Readonly<Record<string, string>>) {
    write(this.folder, files)
    this.command = new Command(['serve', '--port', '0', '--operations', this.folder])
  }

  async start(): Promise<this> {
    this.url = await this.command.address()
    return this
  }

  /** Changes files, and waits until the gateway has the operation with this text. */
  async save(files: Readonly<Record<string, string>>, text: string): Promise<void> {
    write(this.folder, files)
    await eventually(async () => (await fetch(`${this.url}/graphiql/operations.json`)).text()).toContain(text)
  }

  async close(): Promise<void> {
    await this.command.stop()
    rmSync(this.folder, { recursive: true })
  }
}

const pane = (page: Page) => page.getByRole('region', { name: 'Operations' })
const field = (page: Page) => page.getByRole('searchbox', { name: 'Search operations' })
const titles = (page: Page) => pane(page).locator('li strong').allInnerTexts()
const headings = (page: Page) =>
  pane(page)
    .locator('.operations-list')
    .getByRole('heading')
    .evaluateAll((all) => all.map(({ tagName, innerText }: any) => `${tagName} ${innerText.replaceAll(/\s+/g, ' ')}`))
const folder = (page: Page, name: string) => pane(page).getByRole('button', { name: new RegExp(`^${name} \\d+ operations?$`) })
const status = (page: Page) => pane(page).getByRole('status')
/** The first line of the element with the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    return element.getAttribute('aria-label') ?? element.innerText.split('\n')[0]
  })
/** What happens when a person comes back to the window. */
const comeBack = (page: Page) => page.evaluate(() => void dispatchEvent(new Event('focus')))

const NAME = `the collection of GraphiQL${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 6 * PATIENCE }, () => {
  let team: Team
  let browser: Browser

  beforeAll(async () => {
    ;[team, browser] = await Promise.all([new Team(FILES).start(), launchChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await team?.close()
  })

  const visit = (use: (screen: Screen) => Promise<void>, options?: BrowserContextOptions) =>
    visitPage(browser, `${team.url}/graphql`, use, options)

  it('opens the first operation at the first visit, and shows folders and groups, which stay as a person leaves them', () =>
    visit(async (screen) => {
      const { page, tabs, start } = screen
      await eventually(() => tabs.allInnerTexts()).toEqual(['Ping'])
      await start.getByRole('button', { name: 'Show all operations' }).click()
      await eventually(() => titles(page)).toEqual([
        'Ping',
        'Who I am',
        'CourseTitles',
        'CourseCount',
        'The page of a course',
        'Rename a course',
      ])
      const all = ['H3 account 1 operation', 'H4 For learners', 'H3 courses 4 operations', 'H4 Pages', 'H4 edit 1 operation']
      expect(await headings(page)).toEqual(all)
      expect(await pane(page).locator('[aria-current]').innerText()).toBe('Ping')
      await folder(page, 'edit').click()
      await folder(page, 'account').click()
      const left = ['Ping', 'CourseTitles', 'CourseCount', 'The page of a course']
      await eventually(() => titles(page)).toEqual(left)
      await page.getByRole('button', { name: 'Hide Operations' }).click()
      await screen.show('Operations')
      expect(await titles(page)).toEqual(left)
      await screen.open(`${team.url}/graphql`)
      await eventually(() => titles(page)).toEqual(left)
      await folder(page, 'account').click()
      await eventually(() => titles(page)).toContain('Who I am')
    }))

  it('runs an operation with its variables, as the user of its role, with fragments of other files', () =>
    visit(async (screen) => {
      await screen.show('Operations')
      for (const [title, user, answer] of [
        ['Who I am', 'learner', { viewer: { name: 'Lena Learner' } }],
        ['The page of a course', '', { course: { title: expect.any(String), link: expect.any(String) } }],
      ] as const) {
        await pane(screen.page).locator('li button').filter({ hasText: title }).click()
        await eventually(() => screen.signedInAs.inputValue()).toBe(user)
        expect((await screen.run()).answer).toEqual({ data: answer })
      }
      expect(await screen.tabs.allInnerTexts()).toEqual(['Ping', 'WhoAmI', 'CoursePage'])
      await pane(screen.page).locator('li button').filter({ hasText: 'Rename a course' }).click()
      await screen.start.getByText('It changes records of the embedded LMS when you run it.').waitFor()
    }))

  it('finds operations by words of title, description, name and folder, says how many, and shows where they are', () =>
    visit(async (screen) => {
      const { page } = screen
      await screen.show('Operations')
      for (const [text, found] of [
        ['page COURSE', ['The page of a course']],
        ['link', ['The page of a course']],
        ['coursecount', ['CourseCount']],
        ['edit', ['Rename a course']],
        ['courses', ['Rename a course', 'CourseTitles', 'CourseCount', 'The page of a course']],
      ] as const) {
        await field(page).fill(text)
        await eventually(() => titles(page)).toEqual(found)
        expect(await status(page).innerText()).toBe(found.length === 1 ? '1 operation found.' : `${found.length} operations found.`)
      }
      expect(await pane(page).locator('li code').allInnerTexts()).toEqual([
        'courses/edit/RenameCourse',
        'courses/CourseTitles',
        'courses/CourseCount',
        'link',
        'courses/CoursePage',
      ])
      await field(page).fill('nothing like it')
      await eventually(() => status(page).innerText()).toBe('No operation has all of these words.')
      await field(page).press('Escape')
      await eventually(() => field(page).inputValue()).toBe('')
      expect([await status(page).innerText(), (await titles(page)).length]).toEqual(['', 6])
    }))

  it('can be used with the keys of a list, of which Tab is one stop', () =>
    visit(async (screen) => {
      const { page, tabs } = screen
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key)
        return focused(page)
      }
      await screen.show('Operations')
      await field(page).focus()
      expect(await press('Tab')).toBe('Ping')
      expect(await press('ArrowDown', 'ArrowDown')).toBe('Who I am')
      expect(await press('ArrowLeft')).toBe('account')
      await press('ArrowLeft')
      expect(await titles(page)).not.toContain('Who I am')
      expect(await press('ArrowDown')).toBe('courses')
      expect(await press('ArrowUp', 'ArrowRight', 'ArrowDown')).toBe('Who I am')
      expect(await press('End')).toBe('Rename a course')
      expect(await press('ArrowDown')).toBe('Rename a course')
      expect(await press('Home')).toBe('Ping')
      expect(await press('ArrowUp')).toBe('Search operations')
      await page.keyboard.type('page of')
      await eventually(() => titles(page)).toEqual(['The page of a course'])
      expect(await press('ArrowDown')).toBe('The page of a course')
      // The list cuts what is outside of a button.
      const outline = () =>
        page.evaluate(() => {
          const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(document.activeElement as Element)
          return [outlineStyle, outlineWidth, outlineOffset]
        })
      expect(await outline()).toEqual(['solid', '2px', '-2px'])
      await press('Enter')
      await eventually(() => tabs.allInnerTexts()).toEqual(['Ping', 'CoursePage'])
      expect(await focused(page)).toBe('The page of a course')
      expect(await press('Escape')).toBe('Search operations')
      await eventually(async () => [await field(page).inputValue(), (await titles(page)).length]).toEqual(['', 6])
      // One stop: the current operation. From there, Tab leaves the list in both directions.
      expect(await press('Tab')).toBe('The page of a course')
      expect(await press('Shift+Tab')).toBe('Search operations')
      await press('Tab', 'Tab')
      expect(await page.evaluate(() => document.activeElement?.closest('.operations'))).toBeNull()
    }))

  describe('of a folder that changes', () => {
    let changing: Team
    beforeAll(async () => {
      changing = await new Team(FILES).start()
    })
    afterAll(() => changing?.close())
    afterEach(() => changing.save(FILES, 'query Ping { __typename }'))

    it('is read again when a person comes back to the window or opens the pane, and leaves the tabs alone', () =>
      visitPage(browser, `${changing.url}/graphql`, async (screen) => {
        const { page, tabs } = screen
        await screen.show('Operations')
        await folder(page, 'account').click()
        await field(page).focus()
        await changing.save({ 'Ping.graphql': '# Are you there\nquery Ping { answer: __typename }' }, 'Are you there')
        expect((await titles(page))[0]).toBe('Ping')
        await comeBack(page)
        await eventually(() => titles(page)).toEqual([
          'Are you there',
          'CourseTitles',
          'CourseCount',
          'The page of a course',
          'Rename a course',
        ])
        expect(await focused(page)).toBe('Search operations')
        expect(await screen.textOf('operation.graphql')).toBe('query Ping { __typename }')
        // Choosing it shows what was saved, in the same tab.
        await pane(page).locator('li button').filter({ hasText: 'Are you there' }).click()
        await eventually(() => screen.textOf('operation.graphql')).toBe('# Are you there\nquery Ping { answer: __typename }')
        expect((await screen.run()).answer).toEqual({ data: { answer: 'Query' } })
        // What a person has changed stays.
        await screen.write('operation.graphql', 'query Ping { own: __typename }')
        await page.getByRole('button', { name: 'Hide Operations' }).click()
        await changing.save({ 'Ping.graphql': '# Is anybody there\nquery Ping { third: __typename }' }, 'Is anybody there')
        await screen.show('Operations')
        await eventually(async () => (await titles(page))[0]).toBe('Is anybody there')
        await pane(page).locator('li button').filter({ hasText: 'Is anybody there' }).click()
        expect(await screen.textOf('operation.graphql')).toBe('query Ping { own: __typename }')
        expect(await tabs.count()).toBe(1)
      }))

    it('does not draw what is as before: the elements of the list stay', () =>
      visitPage(browser, `${changing.url}/graphql`, async (screen) => {
        const { page } = screen
        await screen.show('Operations')
        await page.evaluate(() => {
          const changes: MutationRecord[] = []
          new MutationObserver((seen) => changes.push(...seen)).observe(document.querySelector('.operations') as Element, {
            subtree: true,
            childList: true,
            attributes: true,
            characterData: true,
          })
          Object.assign(globalThis, { changes })
        })
        await Promise.all([page.waitForResponse('**/graphiql/operations.json'), comeBack(page)])
        await page.waitForTimeout(300)
        expect(await page.evaluate(() => (globalThis as any).changes.length)).toBe(0)
        await changing.save(
          { 'courses/page.graphql': FILES['courses/page.graphql']?.replace('Its title', 'Its name') as string },
          'Its name',
        )
        await comeBack(page)
        await pane(page).getByText('Its name, and its').waitFor()
        const changed = await page.evaluate(() => (globalThis as any).changes.map(({ type }: MutationRecord) => type))
        expect(changed.filter((type: string) => type !== 'attributes')).toEqual(['characterData'])
      }))
  })

  it('says that it could not be read, keeps what was read before, and says no more when it can be read again', () =>
    visit(async (screen) => {
      const { page, observed } = screen
      await screen.show('Operations')
      const refuse = () => page.route('**/graphiql/operations.json', (route) => route.fulfill({ status: 503, body: 'no' }))
      await refuse()
      await comeBack(page)
      await eventually(() => status(page).innerText()).toBe(
        'The operations could not be read: GET /graphql/graphiql/operations.json answered 503 Service Unavailable',
      )
      expect(await titles(page)).toContain('The page of a course')
      expect(await violations(screen)).toEqual([])
      await page.unroute('**/graphiql/operations.json')
      await comeBack(page)
      await eventually(() => status(page).innerText()).toBe('')

      // The page starts without operations too.
      await refuse()
      await screen.open(`${team.url}/graphql`)
      await eventually(() => status(page).innerText()).toContain('could not be read')
      expect(await titles(page)).toEqual([])
      await page.getByRole('button', { name: 'New tab' }).click()
      await screen.write('operation.graphql', '{ __typename }')
      expect((await screen.run()).answer).toEqual({ data: { __typename: 'Query' } })
      // The browser writes the failed requests into its console.
      expect(observed.problems.filter((problem) => !problem.includes('503'))).toEqual([])
      observed.problems.length = 0
    }))

  it.each([
    { width: 1400, height: 900, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'dark' },
  ] as const)('has no violation that axe finds, and fits: $width x $height, $colorScheme', ({ width, height, colorScheme }) =>
    visit(
      async (screen) => {
        const { page } = screen
        await screen.show('Operations')
        const look = async () => {
          const list = page.locator('.operations-list')
          const isCut = await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          return { violations: await violations(screen), layout: await layout(screen), isCut }
        }
        const fine = { violations: [], layout: FITS, isCut: false }
        expect(await look()).toEqual(fine)
        await folder(page, 'courses').click()
        expect(await look()).toEqual(fine)
        for (const text of ['course', 'nothing like it']) {
          await field(page).fill(text)
          expect(await look()).toEqual(fine)
        }
      },
      { viewport: { width, height }, colorScheme },
    ),
  )

  it('stays usable with 500 operations in 30 folders, which are closed at first', async () => {
    const files = Array.from({ length: 500 }, (_, index): [string, string] => [
      `area${index % 5}/part${index % 30}/operation${index}.graphql`,
      `# Operation number ${index}\n# What a page needs to show its list of \`courses\`, with filters and pages.\nquery Operation${index} { __typename }`,
    ])
    const large = await new Team(Object.fromEntries(files)).start()
    try {
      await visitPage(browser, `${large.url}/graphql`, async (screen) => {
        const { page } = screen
        await screen.show('Operations')
        await eventually(() => headings(page)).toEqual([0, 1, 2, 3, 4].map((area) => `H3 area${area} 100 operations`))
        while ((await pane(page).locator('[aria-expanded=false]').count()) > 0)
          await pane(page).locator('[aria-expanded=false]').first().click()
        await eventually(async () => (await titles(page)).length).toBe(500)
        expect(await pane(page).locator('[aria-expanded]').count()).toBe(5 + 30)
        /** Milliseconds until the page has drawn what follows an input or a click. */
        const timed = (action: 'render' | string) =>
          page.evaluate(async (what) => {
            const drawn = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
            const button = (name: string) => document.querySelector<HTMLElement>(`button[aria-label="${name}"]`)
            if (what === 'render') button('Hide Operations')?.click()
            await drawn()
            const start = performance.now()
            if (what === 'render') button('Show Operations')?.click()
            else {
              const input = document.querySelector('.pane-search') as HTMLInputElement
              input.focus()
              input.select()
              document.execCommand('insertText', false, what)
            }
            await drawn()
            return performance.now() - start
          }, action)
        const times = Object.fromEntries(
          await Promise.resolve(['render', 'operation', 'number 49', 'number 499']).then(async (actions) => {
            const all: [string, number][] = []
            for (const action of actions) all.push([action, Math.round(await timed(action))])
            return all
          }),
        )
        console.log(`500 operations, milliseconds: ${JSON.stringify(times)}`)
        // On a quiet machine, each takes some 50 ms at most.
        expect(Object.values(times).filter((time) => time > 1000)).toEqual([])
        await eventually(() => titles(page)).toEqual(['Operation number 499'])
        expect(await status(page).innerText()).toBe('1 operation found.')
        await field(page).press('ArrowDown')
        await page.keyboard.press('Enter')
        await eventually(() => screen.textOf('operation.graphql')).toContain('query Operation499')
      })
    } finally {
      await large.close()
    }
  })
})
