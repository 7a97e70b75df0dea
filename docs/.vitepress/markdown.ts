import { existsSync } from 'node:fs'
import { dirname, posix, relative, resolve } from 'node:path'
import { renderMermaidSVG } from 'beautiful-mermaid'
import type { MarkdownRenderer } from 'vitepress'
import { DOCS, ROOT } from './pages.js'

/** Pages of the site for files of the repository that have one. */
const PAGES: Readonly<Record<string, string>> = { 'README.md': 'index.md', 'CONTRIBUTING.md': 'contributing.md' }

/** Where the site has a copy of a file of the repository. Browsers show a text file, whatever its name was. */
export const copyOf = (path: string): string => `files/${path}.txt`

/** Resolves a link of a page to a path of the repository. Null for addresses, anchors and links within `docs`. */
export function repositoryPath(page: string, href: string): string | null {
  if (/^([a-z]+:|#|\/)/.test(href)) return null
  const target = relative(ROOT, resolve(dirname(`${DOCS}${page}`), href.replace(/[?#].*$/, ''))).replaceAll('\\', '/')
  return target.startsWith('docs/') || target.startsWith('..') ? null : target
}

/** The path of a page below `docs`, from the name of its file. */
const pageOf = (file: string): string => relative(DOCS, file).replaceAll('\\', '/')

/**
 * Reads the pages as GitHub shows them: links to files of the repository lead to copies, `mermaid` blocks become pictures, and comments for
 * the tests are dropped. `onFile` receives the path of every linked file.
 */
export function readPages(md: MarkdownRenderer, onFile: (path: string) => void): void {
  md.core.ruler.push('repository', ({ tokens, env }) => {
    const page = pageOf(env.path)
    for (const token of tokens) {
      if (token.type === 'html_block') token.content = token.content.replace(/<!--[\s\S]*?-->/g, '')
      for (const child of token.children ?? []) {
        const href = child.type === 'link_open' ? child.attrGet('href') : null
        const path = href === null ? null : repositoryPath(page, href)
        if (path === null) continue
        if (!existsSync(`${ROOT}${path}`)) throw new Error(`docs/${page} links to ${href}, which does not exist.`)
        const target = PAGES[path]
        if (target === undefined) {
          onFile(path)
          child.attrSet('href', posix.relative(posix.dirname(page), copyOf(path)))
          child.attrSet('target', '_self')
        } else child.attrSet('href', `/${target}${/#.*$/.exec(href as string)?.[0] ?? ''}`)
      }
    }
  })
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (token?.info.trim() === 'mermaid') return diagram(token.content, `diagram-${index}`)
    return fence?.(tokens, index, options, env, self) ?? ''
  }
}

/** A Mermaid diagram as SVG. Its colours are in `theme/style.css`: the SVG of the library would load a font from another host. */
export function diagram(source: string, id: string): string {
  const svg = renderMermaidSVG(source, { transparent: true })
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/ style="--bg:[^"]*"/, '')
    .replace(/\bid="([\w-]+)"/g, `id="${id}-$1"`)
    .replace(/url\(#([\w-]+)\)/g, `url(#${id}-$1)`)
    .replace('<svg ', '<svg role="img" aria-label="Diagram" ')
  return `<div class="diagram" tabindex="0" v-pre>${svg}</div>\n`
}
