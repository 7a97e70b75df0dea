import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { eventually, type Screen, visit } from './screen.js'
import { startPage } from './start-page.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Violations of all rules of axe, with the elements. */
async function violations({ page }: Screen): Promise<string[]> {
  // Colours change in transitions, and dialogs appear in animations.
  await page.waitForTimeout(500)
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }: any) => nodes.map((node: any) => `${id}: ${node.target.join(' ')} (${node.failureSummary})`))
  })
}

/** Elements that reach beyond the page and are in no box that scrolls, and the widths of the page and the window. */
const layout = ({ page }: Screen) =>
  page.evaluate(() => {
    const scrolls = (each: Element | null): boolean =>
      each !== null && (/auto|scroll|hidden|clip/.test(getComputedStyle(each).overflowX) || scrolls(each.parentElement))
    const wide = [...document.querySelectorAll('#root *, [role=dialog], [role=dialog] *')].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect()
      const isShown = width > 1 && getComputedStyle(element).visibility === 'visible' && Number(getComputedStyle(element).opacity) > 0
      return isShown && (right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement)
    })
    return {
      wide: wide.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 120)),
      scrolls: document.documentElement.scrollWidth > innerWidth,
    }
  })

const FITS = { wide: [], scrolls: false }

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
        await start.getByRole('button', { name: /^Run/ }).scrollIntoViewIfNeeded()
        await screen.show('Examples')
        await look('Examples')
        await screen.choose('Create a course')
        await look('an example that writes')
        await screen.signedInAs.selectOption('anonymous')
        await screen.run()
        await screen.notice.getByText('This example needs an administrator').waitFor()
        await look('a refused example')
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
        expect(Object.keys(found).length).toBe(9)
      },
      { viewport: { width, height }, colorScheme },
    ),
  )

  it('stacks query and response on a narrow screen, where a pane covers them until an example is chosen', () =>
    visit(
      browser,
      site.page,
      async (screen) => {
        const { page } = screen
        const boxOf = async (selector: string) =>
          (await page.locator(selector).boundingBox()) as { y: number; height: number; width: number }
        const [editors, response] = [await boxOf('.graphiql-editors'), await boxOf('.graphiql-response')]
        expect(response.y).toBeGreaterThanOrEqual(editors.y + editors.height)
        expect([editors.width > 350, response.width > 350]).toEqual([true, true])
        await screen.show('Examples')
        await eventually(async () => (await boxOf('.graphiql-plugin')).width).toBe(390)
        await page.locator('.examples button').filter({ hasText: 'Catalogue page' }).click()
        await eventually(() => page.locator('.graphiql-plugin').isVisible()).toBe(false)
        await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Query: press Enter to go in')
        expect(await screen.run()).not.toHaveProperty('answer.errors')
      },
      { viewport: { width: 390, height: 844 } },
    ))

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

      expect(await tabTo('Show Examples')).toEqual(['Show Documentation Explorer', 'Show Examples'])
      await keyboard.press('Enter')
      await page.getByRole('region', { name: 'Examples' }).waitFor()
      await tabTo('Catalogue page with filters')
      await keyboard.press('Enter')
      await eventually(() => screen.tabs.allInnerTexts()).toEqual(['GroupsAndCourses', 'Catalogue'])
      expect(await tabTo('Query: press Enter to go in')).toEqual(
        expect.arrayContaining(['Change and add', 'GroupsAndCourses', 'Close GroupsAndCourses', 'Catalogue', 'Close Catalogue', 'New tab']),
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
        'Hide editor tools',
        'Variables: press Enter to go in',
        'Response: press Enter to go in',
      ])
      await keyboard.press('Enter')
      await keyboard.press('Escape')
      await eventually(async () => (await focused()).name).toBe('Response: press Enter to go in')
    }))
})
