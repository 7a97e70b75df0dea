import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf, DOCS, missingPages, pageFiles, titleOf } from '../../docs/.vitepress/pages.js'
import { HOME, PLAN } from '../../docs/.vitepress/plan.js'
import { launchChromium, type Observed, openContext, WHY_NO_BROWSER } from '../browser/chromium.js'
import { buildDocumentation, fileOf, type ServedSite, serveDocumentation } from './site.js'

// Builds the documentation and reads every page in Chromium. DOCS_SCREENSHOTS names a folder for a picture of each page.

const { DOCS_SCREENSHOTS } = process.env
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const WIDTHS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const
type Width = keyof typeof WIDTHS

let site: ServedSite
let browser: Browser
const contexts = {} as Record<Width, { context: BrowserContext; observed: Observed; page: Page; elsewhere: string[] }>

/** Addresses of links, by the page they are on. */
const links = new Map<string, string[]>()

async function open(width: Width, path: string): Promise<Page> {
  const { page } = contexts[width]
  await page.goto(`${site.url}${path}`, { waitUntil: 'networkidle' })
  return page
}

async function picture(page: Page, name: string, whole = true): Promise<void> {
  if (DOCS_SCREENSHOTS === undefined) return
  mkdirSync(DOCS_SCREENSHOTS, { recursive: true })
  await page.screenshot({ path: join(DOCS_SCREENSHOTS, `${name}.png`), fullPage: whole })
}

/** Serious violations of rules of accessibility, with the elements. */
async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE })
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run(document, { resultTypes: ['violations'] })
    return violations as { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[]
  })
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ target, failureSummary }) => `${target.join(' ')} (${failureSummary})`)
          .join('; ')}`,
    )
}

describe.skipIf(WHY_NO_BROWSER)(`the documentation in Chromium${WHY_NO_BROWSER ? ` (skipped: ${WHY_NO_BROWSER})` : ''}`, () => {
  beforeAll(async () => {
    await buildDocumentation()
    site = await serveDocumentation()
    browser = await launchChromium()
    for (const width of Object.keys(WIDTHS) as Width[]) {
      const { context, observed } = await openContext(browser, { viewport: WIDTHS[width], colorScheme: 'light' })
      const page = await context.newPage()
      const elsewhere: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(`${site.url}/`) && !request.url().startsWith('data:')) elsewhere.push(request.url())
      })
      contexts[width] = { context, observed, page, elsewhere }
    }
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  const rows = pageFiles().flatMap((file) => (Object.keys(WIDTHS) as Width[]).map((width) => [file, width] as const))

  it.each(rows)('docs/%s is readable at the width of a %s', async (file, width) => {
    const { observed, elsewhere } = contexts[width]
    observed.problems.length = elsewhere.length = 0
    const page = await open(width, addressOf(file))
    const heading = page.locator('h1').first()
    expect(await heading.isVisible()).toBe(true)
    if (file !== HOME) expect(await heading.innerText()).toContain(titleOf(file))
    const size = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      /** Elements that reach beyond the page, and are not in a box that scrolls. */
      const wide = [...document.querySelectorAll('#VPContent *')].filter((element) => {
        const scrolls = (each: Element | null): boolean =>
          each !== null && (/auto|scroll|hidden|clip/.test(getComputedStyle(each).overflowX) || scrolls(each.parentElement))
        return element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element)
      })
      return { scrollWidth, clientWidth, wide: wide.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 120)) }
    })
    expect(size.wide).toEqual([])
    expect(size.scrollWidth).toBeLessThanOrEqual(size.clientWidth)
    expect(await page.locator('#VPContent').innerHTML()).not.toMatch(/<!--\s*(test:|Generated)/)
    await picture(page, `${file.replaceAll('/', '-')}-${width}`, !file.startsWith('reference/'))
    links.set(file, await page.locator('a[href]').evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href)))
    expect(await violations(page)).toEqual([])
    expect([observed.problems, observed.foreign, elsewhere]).toEqual([[], [], []])
  })

  it('has links whose pages, files and headings exist', () => {
    const missing = missingPages().map(addressOf)
    const broken = new Set<string>()
    const texts = new Map<string, string>()
    for (const [file, hrefs] of links) {
      for (const href of hrefs.filter((each) => each.startsWith(site.url))) {
        const { pathname, hash } = new URL(href)
        if (missing.includes(pathname)) continue
        const target = fileOf(decodeURI(pathname))
        if (target === undefined) broken.add(`${file}: ${pathname}`)
        else if (hash !== '') {
          const text = texts.get(target) ?? readFileSync(target, 'utf8')
          texts.set(target, text)
          if (!text.includes(`id="${decodeURIComponent(hash.slice(1))}"`)) broken.add(`${file}: ${pathname}${hash}`)
        }
      }
    }
    expect(links.size).toBe(pageFiles().length)
    expect([...broken]).toEqual([])
  })

  it('finds a setting by its name', async () => {
    const page = await open('desktop', '/')
    await page.locator('.VPNavBarSearch button').click()
    await page.locator('#localsearch-input').fill('max-calls')
    const result = page.locator('#localsearch-list .result').first()
    await result.waitFor()
    expect(await result.innerText()).toContain('max-calls')
    await picture(page, 'search', false)
    await result.click()
    await page.waitForURL('**/reference/settings#max-calls')
  })

  it.each(['comments', 'essays'])('finds what is not in the graph by “%s”', async (words) => {
    const page = await open('desktop', '/')
    await page.locator('.VPNavBarSearch button').click()
    await page.locator('#localsearch-input').fill(words)
    await page.locator('#localsearch-list .result').first().waitFor()
    const results = await page.locator('#localsearch-list .result').allInnerTexts()
    expect(results.slice(0, 3).join('\n')).toContain('What is not in the graph')
  })

  it('has a dark mode, and the same contrast there', async () => {
    const page = await open('desktop', '/architecture')
    await page.locator('.VPSwitchAppearance').first().click()
    expect(await page.locator('html').getAttribute('class')).toContain('dark')
    // Colours change in a transition.
    await page.waitForTimeout(1_000)
    await picture(page, 'dark')
    expect(await violations(page)).toEqual([])
    await open('desktop', '/reference/settings')
    expect(await violations(page)).toEqual([])
    await page.locator('.VPSwitchAppearance').first().click()
    expect(await page.locator('html').getAttribute('class')).not.toContain('dark')
  })

  it('has a picture for each diagram', async () => {
    const page = await open('desktop', '/architecture')
    const diagrams = readFileSync(`${DOCS}architecture.md`, 'utf8').match(/^```mermaid$/gm) ?? []
    expect(diagrams.length).toBeGreaterThan(2)
    expect(await page.locator('.diagram svg').count()).toBe(diagrams.length)
    expect(await page.locator('.diagram svg text').first().isVisible()).toBe(true)
  })

  it('has texts for language models, without comments for the tests', () => {
    const text = (path: string): string => readFileSync(fileOf(path) as string, 'utf8')
    const pages = PLAN.flatMap(({ pages }) => pages).filter((page) => pageFiles().includes(page))
    for (const page of pages) expect(text('/llms.txt')).toContain(`- [${titleOf(page)}](/${page}): `)
    const full = text('/llms-full.txt')
    for (const page of pages) expect(full).toContain(`# ${titleOf(page)}`.slice(0, 10))
    expect(text('/kit.md')).toContain('# Your own resources')
    expect(`${full}${text('/kit.md')}`).not.toContain('<!-- test: file=')
    expect(full).not.toContain('Generated by')
  })
})
