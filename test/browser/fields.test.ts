import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, openContext, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { eventually } from './screen.js'
import { startPage } from './start-page.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The text of an editor of the page: `operation.graphql` or `response.json`. */
const textOf = (page: Page, name: string): Promise<string> =>
  page.evaluate(
    (end) =>
      (globalThis as any).__MONACO.editor
        .getModels()
        .find((model: any) => model.uri.path.endsWith(end))
        .getValue(),
    name,
  )
const query = (page: Page): Promise<string> => textOf(page, 'operation.graphql')

/** A line of the tree that is visible. */
const line = (page: Page, name: string): Locator => page.locator('.fields-row').filter({ has: page.getByText(name, { exact: true }) })

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Presses a key until an element with this role or label has the focus. */
async function goTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab'): Promise<void> {
  for (let count = 0; count < 80; count++) {
    await page.keyboard.press(key)
    const focused = await page.evaluate(() => {
      const element = (globalThis as any).document.activeElement
      return [element.getAttribute('role'), element.getAttribute('aria-label'), element.labels?.[0]?.textContent]
    })
    if (focused.includes(name)) return
  }
  throw new Error(`${key} does not lead to ${name}`)
}

const NAME = `Fields in GraphiQL${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

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

  /** Opens the page in a new profile, and expects neither problems of the page nor of accessibility at the end. */
  async function visit(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    const { context, observed } = await openContext(browser, options)
    try {
      const page = await context.newPage()
      await page.goto(site.page)
      await page.locator('.graphiql-query-editor .view-line').first().waitFor()
      await use(page)
      await page.evaluate(AXE)
      const { violations } = await page.evaluate(() => (globalThis as any).axe.run('.fields'))
      expect(violations.map(({ id, nodes }: any) => [id, ...nodes.map(({ html }: any) => html)])).toEqual([])
      expect(observed).toEqual({ problems: [], foreign: [] })
    } catch (error) {
      throw new Error(`${error}\nWhat the browser saw: ${JSON.stringify(observed, null, 2)}`, { cause: error })
    } finally {
      await context.close()
    }
  }

  it('builds a query from nothing by keyboard, and runs it', () =>
    visit({ colorScheme: 'dark' }, async (page) => {
      await goTo(page, 'New tab', 'Tab')
      await press(page, 'Enter')
      await eventually(() => query(page)).toBe('')
      await goTo(page, 'Show Fields', 'Shift+Tab')
      await press(page, 'Enter')
      await page.getByRole('tree').waitFor()
      await goTo(page, 'tree', 'Tab')

      // The active row is known by its id, also one whose key has spaces.
      await press(page, 'n', 'ArrowRight', 'c')
      const active = () =>
        page.evaluate(() => {
          const id: string = (globalThis as any).document.activeElement.getAttribute('aria-activedescendant')
          return [/\s/.test(id), (globalThis as any).document.getElementById(id)?.querySelector('.fields-name').textContent]
        })
      await eventually(active).toEqual([false, '... on Course'])

      await press(page, 'Home', 'g', 'g', 'Space')
      await eventually(() => query(page)).toBe('{\n  groups {\n    nodes {\n      id\n    }\n  }\n}\n')
      await goTo(page, 'Search fields', 'Shift+Tab')
      await page.keyboard.type('title')
      await press(page, 'ArrowDown', 'Space')
      await eventually(() => query(page)).toBe('{\n  groups {\n    nodes {\n      id\n      title\n    }\n  }\n}\n')
      await eventually(() => line(page, 'title').first().getAttribute('aria-checked')).toBe('true')

      await press(page, 'ArrowLeft', 'ArrowLeft', 'ArrowLeft')
      await goTo(page, 'first', 'Tab')
      await page.keyboard.type('2')
      await press(page, 'Enter')
      await eventually(() => query(page)).toContain('groups(first: 2) {')
      await goTo(page, 'tree', 'Shift+Tab')
      await press(page, 'Control+Enter')
      await eventually(() => textOf(page, 'response.json')).toContain('Business Certificate')
      const answer = JSON.parse(await textOf(page, 'response.json'))
      expect(answer).toEqual({ data: { groups: { nodes: Array(2).fill({ id: expect.any(String), title: expect.any(String) }) } } })

      await press(page, 'Control+z')
      await eventually(() => query(page)).not.toContain('first')
      await press(page, 'Control+z')
      await eventually(() => line(page, 'title').first().getAttribute('aria-checked')).toBe('false')
      await press(page, 'Control+Shift+z', 'Control+Shift+z')
      await eventually(() => query(page)).toContain('groups(first: 2) {')
    }))

  it('follows what is typed, keeps comments, and leaves the fields of fragments to them', () =>
    visit({ colorScheme: 'light' }, async (page) => {
      await page.getByRole('button', { name: 'Show Fields' }).click()
      await page.getByRole('tree').waitFor()
      await page.locator('.graphiql-query-editor .view-lines').click()
      await press(page, 'Control+A')
      const typed = [
        '# Some courses',
        'query Some { courses { # the first ten',
        'nodes { id ...Parts } } }',
        'fragment Parts on Course { slug }',
        'mutation Change { __typename }',
      ]
      await page.evaluate((text) => {
        const editor = (globalThis as any).__MONACO.editor
          .getEditors()
          .find((each: any) => each.getModel().uri.path.endsWith('operation.graphql'))
        editor.executeEdits('test', [{ range: editor.getModel().getFullModelRange(), text }])
        editor.setPosition({ lineNumber: 3, column: 1 })
      }, typed.join('\n'))
      const chooser = page.getByLabel('Operation', { exact: true })
      await eventually(() => chooser.locator('option:checked').innerText()).toBe('query Some')
      await eventually(() => chooser.locator('option').allInnerTexts()).toEqual([
        'query Some',
        'fragment Parts',
        'mutation Change',
        'new query',
        'new mutation',
      ])
      await eventually(() => line(page, 'id').first().getAttribute('aria-checked')).toBe('true')

      // Ticking and unticking change only their own places.
      await line(page, 'points').first().click()
      await eventually(() => query(page)).toBe(typed.join('\n').replace('...Parts', '...Parts points'))
      await line(page, 'lessons').first().getByText('1 call per course').waitFor()
      await line(page, 'points').first().click()
      await eventually(() => query(page)).toBe(typed.join('\n'))

      // What is selected comes first, and stays where it is while fields are ticked.
      const fields = () => page.locator('.fields-row[aria-level="3"] .fields-name').allInnerTexts()
      expect((await fields()).slice(0, 3)).not.toContain('points')
      await eventually(async () => (await fields()).slice(0, 2).sort()).toEqual(['id', 'slug'])

      // Code in a description is shown as code.
      const course = line(page, 'course').first()
      await course.click()
      await page.locator('#fields-description code').getByText('password', { exact: true }).waitFor()
      expect(await page.locator('#fields-description').innerText()).not.toContain('`')
      expect(await course.getAttribute('title')).not.toContain('`')
      await course.click()
      await eventually(() => query(page)).toBe(typed.join('\n'))

      // A field of a fragment is ticked in the fragment.
      const slug = line(page, 'slug').first()
      await eventually(async () => [await slug.getAttribute('aria-checked'), await slug.getAttribute('aria-disabled')]).toEqual([
        'true',
        'true',
      ])
      await slug.click({ force: true })
      expect(await query(page)).toBe(typed.join('\n'))
      await page.getByRole('button', { name: 'Edit the fragment' }).click()
      await eventually(() => page.getByRole('tree').getAttribute('aria-label')).toBe('Fields of fragment Parts')
      await line(page, 'title').click()
      await eventually(() => query(page)).toContain('fragment Parts on Course { slug title }')

      // While the text has a syntax error, the tree shows the text before it.
      await page.locator('.graphiql-query-editor .view-lines').click()
      await press(page, 'Control+Home')
      await page.keyboard.type('{')
      await page.getByText('The query has a syntax error.').waitFor()
      await line(page, 'title').click({ force: true })
      expect(await query(page)).toContain('fragment Parts on Course { slug title }')
    }))
})
