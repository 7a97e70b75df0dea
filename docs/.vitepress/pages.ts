import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PLAN } from './plan.js'

/** The folder of the pages, with a slash at its end. */
export const DOCS = fileURLToPath(new URL('..', import.meta.url))

/** The folder of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Folders of `docs` without pages. */
const WITHOUT_PAGES = ['.vitepress', 'node_modules']

/** Paths of all pages below `docs`, sorted. */
export const pageFiles = (): string[] =>
  readdirSync(DOCS, { withFileTypes: true })
    .filter(({ name }) => !WITHOUT_PAGES.includes(name))
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(`${DOCS}${entry.name}`, { recursive: true, encoding: 'utf8' }).map((path) => `${entry.name}/${path}`)
        : [entry.name],
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md'))
    .sort()

/** Planned pages that are not written yet. */
export const missingPages = (): string[] => PLAN.flatMap(({ pages }) => pages).filter((page) => !existsSync(`${DOCS}${page}`))

/** The text of a page without its front matter and comments. Comments in code blocks stay. */
export const textOf = (page: string): string =>
  readFileSync(`${DOCS}${page}`, 'utf8')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1|^[ \t]*<!--[\s\S]*?-->[ \t]*\n/gm, (found, fence?: string) => (fence === undefined ? '' : found))
    .trimStart()

/** The title of a page: its first heading. */
export function titleOf(page: string): string {
  const title = /^# (.+)$/m.exec(textOf(page))?.[1]
  if (title === undefined) throw new Error(`docs/${page} has no heading "# ...".`)
  return title.replaceAll('`', '')
}

/** The address of a page on the site. */
export const addressOf = (page: string): string => `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`

/** The anchor of a heading, by the rule of GitHub. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
