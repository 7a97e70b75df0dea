import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addressOf, pageFiles, textOf, titleOf } from './pages.js'
import { PLAN } from './plan.js'

/** The first paragraph of a page, in one line. */
const summaryOf = (page: string): string =>
  textOf(page)
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .find((paragraph) => /^[\w`*[]/.test(paragraph))
    ?.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('\n', ' ') ?? ''

/** The Markdown of a page as the site has it, beside the page. */
const markdownOf = (page: string): string => (page.endsWith('index.md') ? `${addressOf(page).slice(1)}index.md` : page)

/** Writes `llms.txt`, `llms-full.txt` and the Markdown of each page: the documentation for language models. */
export function writeForModels(folder: string, title: string, description: string): void {
  const existing = pageFiles()
  const sections = PLAN.map((section) => ({ ...section, pages: section.pages.filter((page) => existing.includes(page)) })).filter(
    ({ pages }) => pages.length > 0,
  )
  const list = sections.flatMap(({ title, pages }) => [
    `## ${title}`,
    '',
    ...pages.map((page) => `- [${titleOf(page)}](/${markdownOf(page)}): ${summaryOf(page)}`),
    '',
  ])
  writeFileSync(join(folder, 'llms.txt'), [`# ${title}`, '', `> ${description}`, '', ...list].join('\n'))
  const texts = sections.flatMap(({ pages }) => pages.map((page) => `Page: /${markdownOf(page)}\n\n${textOf(page)}`))
  writeFileSync(join(folder, 'llms-full.txt'), texts.join('\n---\n\n'))
  for (const page of sections.flatMap(({ pages }) => pages)) {
    const file = join(folder, markdownOf(page))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, textOf(page))
  }
}
