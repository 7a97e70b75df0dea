import { createHash } from 'node:crypto'
import { typeset } from './text.js'

/** Name of the site. */
export const SITE_NAME = 'Riverside School'

const STYLE =
  ':root{color-scheme:light dark}body{max-width:42rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}'

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A title as HTML without tags: those in it are shown as text. Entities in it stay entities. */
const titleHtml = (title: string): string => typeset(title).replace(/[<>"]/g, (character) => ENTITIES[character]!)

/** The document of a page: the title and the content of a record, and a link to its REST representation. */
export const documentOf = (title: string, content: string, rest: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleHtml(title)} &#8211; ${SITE_NAME}</title>
<style>${STYLE}</style>
</head>
<body>
<nav><a rel="alternate" type="application/json" href="${rest.replace(/[<>"]/g, encodeURIComponent)}">REST</a></nav>
<main>
<h1>${titleHtml(title)}</h1>
${content}
</main>
</body>
</html>
`

/** Headers of a page. The texts of records are HTML of the site: scripts, foreign files, redirects and forms in them have no effect. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const
