import { createHash } from 'node:crypto'
import { typeset } from './text.js'

/** Name of the site. */
export const SITE_NAME = 'Riverside School'

const STYLE =
  ':root{color-scheme:light dark}body{max-width:42rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}'

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)

/** A title as HTML without tags: those in it are shown as text. Entities in it stay entities. */
export const titleHtml = (title: string): string => typeset(title).replace(/[<>"]/g, (character) => ENTITIES[character]!)

/** A page in the browser. */
export interface Page {
  /** HTML without tags. */
  readonly title: string
  /** HTML below the title. */
  readonly body: string
  /** Whether the body is a form of the LMS. Forms in the texts of records cannot be sent. */
  readonly form?: boolean
}

/** The document of a page, with a link to the start of the site. */
export const documentOf = (site: string, { title, body }: Page): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} &#8211; ${SITE_NAME}</title>
<style>${STYLE}</style>
</head>
<body>
<nav><a href="${escapeHtml(site)}/">${SITE_NAME}</a></nav>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`

/** Headers of a page. The texts of records are HTML of the site: scripts, foreign files, redirects and forms in them have no effect. */
export const pageHeaders = ({ form = false }: Page): Record<string, string> => ({
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    `form-action ${form ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
    form ? 'sandbox allow-forms' : 'sandbox',
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
})
