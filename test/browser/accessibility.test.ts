import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FITS, layout, violations } from './barriers.js'
import { launchChromium, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { eventually, type Screen, visit } from './screen.js'
import { startPage } from './start-page.js'

const NAME = `the GraphiQL page for everybody${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 6 * PATIENCE }, () => {
  let site: Awaited<ReturnType<typeof startPage>>
  let browser: Browser

  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startPage(), launchChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  it.each([
    { width: 1400, height: 900, colorScheme: 'light' },
    { width: 800, height: 600, colorScheme: 'dark' },
    { width: 390, height: 844, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'dark' },
  ] as const)('has no violation that axe finds, and fits: $width x $height, $colorScheme', ({ width, height, colorScheme }) =>
    visit(
      browser,
      site.page,
      async (screen) => {
        const { page, start } = screen
        const found: Record<string, object> = {}
        const look = async (where: string) => {
          found[where] = { violations: await violations(screen), layout: await layout(screen) }
        }
        await look('first view')
        if (width < 700) await screen.view('Response')
        await start.getByRole('button', { name: /^Run/ }).scrollIntoViewIfNeeded()
        await screen.show('Operations')
        await look('Operations')
        await screen.choose('Create a course')
        await look('an operation that writes')
        await screen.signedInAs.selectOption('visitor, not signed in')
        await screen.run()
        await screen.notice.getByText('This operation needs an administrator').waitFor()
        await look('a refused operation')
        await screen.signedInAs.selectOption({ index: 1 })
        await screen.notice.getByText('You have changed the user or the headers since this response.').waitFor()
        await look('an old response')
        if (width < 700) {
          for (const view of ['Calls', 'Query'] as const) {
            await screen.view(view)
            await look(view)
          }
        }
        await screen.show('History')
        await page.locator('.graphiql-history-item').first().waitFor()
        await look('History')
        await screen.show('Documentation Explorer')
        const docs = page.locator('.graphiql-doc-explorer')
        for (const link of ['Query', 'courses']) {
          await docs.getByRole('link', { name: link, exact: true }).first().click()
          await look(`documentation of ${link}`)
        }
        await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click()
        for (const dialog of ['Open short keys dialog', 'Open settings dialog']) {
          await page.getByRole('button', { name: dialog }).click()
          await page.getByRole('dialog').waitFor()
          await look(dialog)
          await page.keyboard.press('Escape')
        }
        const fine = { violations: [], layout: FITS }
        expect(found).toEqual(Object.fromEntries(Object.keys(found).map((where) => [where, fine])))
        expect(Object.keys(found).length).toBe(width < 700 ? 12 : 10)
      },
      { viewport: { width, height }, colorScheme },
    ),
  )

  const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const boxOf = async ({ page }: Screen, selector: string) =>
    (await page.locator(selector).first().boundingBox()) as { x: number; y: number; height: number; width: number }

  it('shows query, response or calls on a phone, each of them whole, and a pane covers them until an operation is chosen', () =>
    visit(
      browser,
      site.page,
      async (screen) => {
        const { page } = screen
        /** Which parts are shown. All of them must be inside of the window, with much of its height. */
        const shown = async () => {
          const parts = { Query: '.graphiql-query-editor', Response: '.result-window', Calls: '.calls-body' }
          const visible = []
          for (const [name, selector] of Object.entries(parts)) {
            if (!(await page.locator(selector).isVisible())) continue
            const { x, y, width, height } = await boxOf(screen, selector)
            visible.push([name, x >= 0 && x + width <= 390, y >= 0 && y + height <= 844, width > 350, height > 400])
          }
          return visible
        }
        await eventually(shown).toEqual([['Query', true, true, true, true]])
        expect(await screen.run()).not.toHaveProperty('answer.errors')
        await eventually(shown).toEqual([['Response', true, true, true, true]])
        await screen.view('Calls')
        await eventually(shown).toEqual([['Calls', true, true, true, true]])
        await eventually(async () => (await boxOf(screen, '.status-line')).y).toBeGreaterThan(780)
        expect(await page.locator('.start kbd').count()).toBe(0)

        await screen.show('Operations')
        await eventually(async () => (await boxOf(screen, '.graphiql-plugin')).width).toBe(390)
        await page.locator('.operations button').filter({ hasText: 'Catalogue page' }).click()
        await eventually(() => page.locator('.graphiql-plugin').isVisible()).toBe(false)
        await eventually(shown).toEqual([['Query', true, true, true, true]])
        await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Query: press Enter to go in')
        await screen.view('Response')
        await page.locator('.start kbd').first().waitFor({ state: 'hidden' })
        await screen.view('Query')
        expect(await screen.run()).not.toHaveProperty('answer.errors')
      },
      PHONE,
    ))

  it.each(['Query', 'Response'] as const)('keeps the text in its frame when it is swiped on a phone: %s', (view) =>
    visit(
      browser,
      site.page,
      async (screen) => {
        const { page } = screen
        await screen.run()
        await screen.view(view)
        const frame = view === 'Query' ? '.graphiql-query-editor' : '.result-window'
        /** How far the text is from its frame, from above and from the left, and how far the page is scrolled. */
        const places = async () => {
          const [outer, inner] = [await boxOf(screen, frame), await boxOf(screen, `${frame} .monaco-editor`)]
          return { above: inner.y - outer.y, left: inner.x - outer.x, page: await page.evaluate(() => scrollY) }
        }
        const before = await places()
        const client = await page.context().newCDPSession(page)
        const { x, y, width, height } = await boxOf(screen, frame)
        const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
          client.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [{ x: x + width / 3, y: at }] })
        await touch('touchStart', y + height - 40)
        for (let at = y + height - 40; at > y + 40; at -= 20) await touch('touchMove', at)
        await touch('touchEnd')
        // The text has moved, and nothing else.
        const scrolled = (file: string) =>
          page.evaluate((end) => {
            const editors: any[] = (globalThis as any).__MONACO.editor.getEditors()
            return editors.find((each) => each.getModel().uri.path.endsWith(end)).getScrollTop()
          }, file)
        await eventually(() => scrolled(view === 'Query' ? 'operation.graphql' : 'response.json')).toBeGreaterThan(50)
        expect(await places()).toEqual(before)
        // Also when all is scrolled that a person can scroll.
        await page.evaluate((selector) => {
          for (let each = document.querySelector(selector); each; each = each.parentElement) {
            if (/auto|scroll/.test(getComputedStyle(each).overflowY) || !each.parentElement) each.scrollTop = each.scrollHeight
          }
        }, frame)
        expect(await places()).toEqual(before)
      },
      PHONE,
    ),
  )

  it.each([
    { width: 1400, height: 900 },
    { width: 800, height: 600 },
    { width: 390, height: 844 },
  ])('shows the current one of seven tabs, that there are more, and who one is: $width x $height', (viewport) =>
    visit(
      browser,
      site.page,
      async (screen) => {
        const { page, tabs, signedInAs } = screen
        for (const title of [
          'Catalogue page',
          'A course page',
          'Search over',
          'Records by',
          'Progress of two',
          'The page of a locked course',
        ]) {
          await screen.show('Operations')
          await page.locator('.operations li button').filter({ hasText: title }).click()
          await eventually(() => page.locator('.operations button:disabled').count()).toBe(0)
        }
        await eventually(() => tabs.count()).toBe(7)
        const list = page.getByRole('list', { name: 'Select active operation' })
        const isInView = async (index: number) => {
          const [tab, all] = [await tabs.nth(index).boundingBox(), await list.boundingBox()]
          if (!tab || !all) return false
          return tab.x >= all.x - 1 && tab.x + tab.width <= all.x + all.width + 1
        }
        const more = () => list.evaluate((each) => [each.hasAttribute('data-more-before'), each.hasAttribute('data-more-after')])
        await eventually(() => isInView(6)).toBe(true)
        await eventually(more).toEqual([true, false])
        expect((await signedInAs.boundingBox())?.width).toBeGreaterThanOrEqual(144)
        await screen.choose('Groups and their courses')
        if (viewport.width > 390) await screen.show('Operations')
        await eventually(() => isInView(0)).toBe(true)
        await eventually(more).toEqual([false, true])
        const [before, after] = [await layout(screen), await violations(screen)]
        expect([before, after]).toEqual([FITS, []])
      },
      { viewport },
    ),
  )

  it('can be used by keyboard alone: each place shows that it has the focus, and none keeps it', () =>
    visit(browser, site.page, async (screen) => {
      const { page } = screen
      const keyboard = page.keyboard
      /** Name of the element with the focus. */
      const focused = () =>
        page.evaluate(() => {
          const element = document.activeElement as HTMLElement
          const { outlineStyle, outlineWidth } = getComputedStyle(element)
          const name = element.getAttribute('aria-label') ?? element.closest('label')?.innerText ?? element.innerText ?? ''
          return { name: name.split('\n')[0] as string, isMarked: outlineStyle !== 'none' && outlineWidth !== '0px' }
        })
      /** Presses Tab until the element with this name has the focus. Returns the names on the way. */
      const tabTo = async (wanted: string): Promise<string[]> => {
        const names: string[] = []
        for (let presses = 0; presses < 60; presses++) {
          await keyboard.press('Tab')
          const { name, isMarked } = await focused()
          expect([name, isMarked]).toEqual([name, true])
          expect(name).not.toBe(names.at(-1))
          names.push(name)
          if (name === wanted) return names
        }
        throw new Error(`Tab does not lead to ${wanted}: ${names.join(', ')}`)
      }

      expect(await tabTo('Show Operations')).toEqual(['Show Documentation Explorer', 'Show Operations'])
      await keyboard.press('Enter')
      await page.getByRole('region', { name: 'Operations' }).waitFor()
      expect(await tabTo('Groups and their courses')).toContain('Search operations')
      await keyboard.press('ArrowDown')
      expect(await focused()).toEqual({ name: 'Catalogue page with filters', isMarked: true })
      await keyboard.press('Enter')
      await eventually(() => screen.tabs.allInnerTexts()).toEqual(['GroupsAndCourses', 'Catalogue'])
      expect(await tabTo('Query: press Enter to go in')).toEqual(
        expect.arrayContaining(['GroupsAndCourses', 'Close GroupsAndCourses', 'Catalogue', 'Close Catalogue', 'New tab']),
      )

      // Tab indents in the editor, and Escape leaves it.
      await keyboard.press('Enter')
      await keyboard.press('Control+Home')
      await keyboard.press('Tab')
      await keyboard.type('#')
      await eventually(() => screen.textOf('operation.graphql')).toMatch(/^ {2}## Catalogue/)
      await keyboard.press('Escape')
      await eventually(focused).toEqual({ name: 'Query: press Enter to go in', isMarked: true })

      const [request] = await Promise.all([
        page.waitForRequest((candidate) => candidate.postData()?.includes('Catalogue') ?? false),
        tabTo('Execute query (Ctrl-Enter)').then(() => keyboard.press('Enter')),
      ])
      expect(request.method()).toBe('POST')
      await eventually(() => screen.textOf('response.json')).toContain('"courses"')
      const rest = await tabTo('Response: press Enter to go in')
      expect(rest).toEqual([
        'Prettify query (Shift-Ctrl-P)',
        'Merge fragments into query (Shift-Ctrl-M)',
        'Share',
        'Variables',
        'Headers',
        'Show editor tools',
        'Response: press Enter to go in',
      ])
      await keyboard.press('Enter')
      await keyboard.press('Escape')
      await eventually(async () => (await focused()).name).toBe('Response: press Enter to go in')
    }))
})
