import { readFileSync } from 'node:fs'
import MarkdownIt, { type Token } from 'markdown-it'
import { pageFiles, ROOT, slugOf } from '../../docs/.vitepress/pages.js'
import { type Directive, readDirective } from './directive.js'

/** A fenced block of a page. */
export interface Block {
  /** Path of the page in the repository. */
  readonly page: string
  /** Line of its first line of text, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** What the comment above says. Empty without one. */
  readonly directive: Directive
  /** Number of the heading it is below. */
  readonly section: number
}

/** A link, an inline code or a heading, with its line. */
interface Found {
  readonly text: string
  readonly line: number
}

export interface Page {
  /** Path in the repository, such as `docs/kit.md`. */
  readonly path: string
  readonly source: string
  readonly blocks: readonly Block[]
  readonly links: readonly Found[]
  readonly codes: readonly Found[]
  readonly headings: readonly (Found & { readonly level: number })[]
  readonly anchors: ReadonlySet<string>
  /** What is wrong with its comments for the tests. */
  readonly complaints: readonly string[]
}

const markdown = new MarkdownIt({ html: true })

/** Pages outside `docs` that keep the contract of the documentation. */
const OUTSIDE = ['README.md', 'CONTRIBUTING.md']

/** Paths of all pages in the repository. */
export const PAGES: readonly string[] = [...OUTSIDE, ...pageFiles().map((page) => `docs/${page}`)]

/** Tags that a page may have. Any other tag is a mistake, such as a placeholder without backticks, and stops the build of the site. */
const TAGS = ['a', 'br', 'details', 'img', 'kbd', 'picture', 'source', 'sub', 'summary', 'sup']

const COMMENT = /^<!--\s*test:?(.*?)-->\s*$/s

/** Drops the front matter, and keeps the numbers of the lines. */
const withoutFrontMatter = (source: string): string =>
  source.replace(/^---\n[\s\S]*?\n---\n/, (found) => '\n'.repeat(found.split('\n').length - 1))

/** Reads a page of the repository. */
export const readPage = (path: string): Page => parsePage(path, readFileSync(`${ROOT}${path}`, 'utf8'))

/** Reads a page from its text. */
export function parsePage(path: string, source: string): Page {
  const tokens = markdown.parse(withoutFrontMatter(source), {})
  const complaints: string[] = []
  const blocks: Block[] = []
  const links: Found[] = []
  const codes: Found[] = []
  const headings: (Found & { level: number })[] = []
  const anchors = new Set<string>()
  /** The last comment for the tests, until the block below it. */
  let comment: { readonly text: string; readonly line: number; readonly end: number } | undefined
  const drop = (): void => {
    if (comment) complaints.push(`${path}:${comment.line}: this comment must be directly above a fenced block.`)
    comment = undefined
  }
  const checkTags = (html: string, line: number): void => {
    for (const [, name = ''] of html.replace(/<!--[\s\S]*?-->/g, '').matchAll(/<\/?([\w-]+)/g)) {
      if (!TAGS.includes(name.toLowerCase())) complaints.push(`${path}:${line}: \`<${name}>\` is HTML: put it into backticks.`)
    }
  }
  for (const [index, token] of tokens.entries()) {
    const [start = 0, end = 0] = token.map ?? []
    if (token.type === 'html_block') checkTags(token.content, start + 1)
    if (token.type === 'html_block') {
      const text = COMMENT.exec(token.content.trim())?.[1]
      if (text !== undefined) {
        drop()
        comment = { text, line: start + 1, end }
      }
      for (const [, id] of token.content.matchAll(/\bid="([^"]+)"/g)) anchors.add(id as string)
    }
    if (token.type === 'fence') {
      if (comment && comment.end !== start) drop()
      const { directive, complaint } = readDirective(comment?.text ?? '')
      if (complaint !== undefined) complaints.push(`${path}:${comment?.line}: ${complaint}`)
      comment = undefined
      const language = /^[\w-]*/.exec(token.info.trim())?.[0] ?? ''
      blocks.push({ page: path, line: start + 2, language, text: token.content, directive, section: headings.length })
    }
    if (token.type === 'heading_open') {
      const text = plainText(tokens[index + 1] as Token)
      headings.push({ text, line: start + 1, level: Number(token.tag.slice(1)) })
      anchors.add(uniqueSlug(slugOf(text), anchors))
    }
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') links.push({ text: String(child.attrGet('href')), line: start + 1 })
      if (child.type === 'image') {
        const source = String(child.attrGet('src'))
        if (/^[a-z]+:/i.test(source)) complaints.push(`${path}:${start + 1}: ${source} is a picture of another host.`)
        else links.push({ text: source, line: start + 1 })
      }
      if (child.type === 'html_inline') checkTags(child.content, start + 1)
      if (child.type === 'text' && child.content.includes('{{')) complaints.push(`${path}:${start + 1}: put \`{{\` into backticks.`)
      if (child.type === 'code_inline') codes.push({ text: child.content, line: start + 1 })
      if (child.type === 'html_inline') for (const [, id] of child.content.matchAll(/\bid="([^"]+)"/g)) anchors.add(id as string)
    }
  }
  drop()
  return { path, source, blocks, links, codes, headings, anchors, complaints }
}

const plainText = ({ children }: Token): string =>
  (children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')

/** GitHub and VitePress number equal headings. */
function uniqueSlug(slug: string, taken: ReadonlySet<string>): string {
  let unique = slug
  for (let number = 1; taken.has(unique); number++) unique = `${slug}-${number}`
  return unique
}

/** All pages, read once. */
export const ALL_PAGES: readonly Page[] = PAGES.map(readPage)

/** Where a block is, for messages and titles. */
export const placeOf = ({ page, line }: Block): string => `${page}:${line}`
