import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Screen } from './screen.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Violations of all rules of axe, with the elements. */
export async function violations({ page }: Screen): Promise<string[]> {
  // Colours change in transitions, and dialogs appear in animations.
  await page.waitForTimeout(500)
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }: any) => nodes.map((node: any) => `${id}: ${node.target.join(' ')} (${node.failureSummary})`))
  })
}

/** Elements that reach beyond the page and are in no box that scrolls, and the widths of the page and the window. */
export const layout = ({ page }: Screen) =>
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

/** The layout of a page that fits. */
export const FITS = { wide: [], scrolls: false }
