import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path/posix'
import { isEnumType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { addressOf, DOCS, pageFiles, ROOT, titleOf } from '../../docs/.vitepress/pages.js'
import { HOME, PLAN } from '../../docs/.vitepress/plan.js'
import { graphSchema } from '../../src/index.js'
import { ARGUMENT_ENTRIES, ENTRIES, SETTINGS_FILE } from '../../src/options/table.js'
import { ERROR_CODES } from '../../src/upstream/error-codes.js'
import { ALL_PAGES, type Page, readPage } from './page.js'

const { scripts, version, files } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  readonly scripts: object
  readonly version: string
  readonly files: readonly string[]
}
const entries = [SETTINGS_FILE, ...ENTRIES, ...ARGUMENT_ENTRIES]

describe('the sidebar', () => {
  const planned = PLAN.flatMap(({ pages }) => pages)

  it('has every page once, and no other', () => {
    expect([HOME, ...planned].sort()).toEqual(pageFiles())
  })

  it('has a different title and address for each page', () => {
    const pages = pageFiles().filter((page) => page !== HOME)
    expect(new Set(pages.map(titleOf)).size).toBe(pages.length)
    expect(new Set(pages.map(addressOf)).size).toBe(pages.length)
  })

  it('leads to pages from the home page', () => {
    const links = [...readFileSync(`${DOCS}${HOME}`, 'utf8').matchAll(/^ +link: (.+)$/gm)].map(([, link]) => link as string)
    expect(links.length).toBeGreaterThan(5)
    for (const link of links) expect(pageFiles(), link).toContain(`${link.replace(/^\.\//, '').replace(/\/$/, '/index')}.md`)
  })
})

const anchors = new Map(ALL_PAGES.map((page) => [page.path, page.anchors]))

/** The anchors of a page, or of another Markdown file of the repository. */
function anchorsOf(file: string): ReadonlySet<string> {
  const found = anchors.get(file) ?? readPage(file).anchors
  anchors.set(file, found)
  return found
}

/** Whether the package has a file. */
const isPacked = (file: string): boolean => file === 'package.json' || files.some((each) => file === each || file.startsWith(`${each}/`))

/** What is wrong with a link: a missing file or anchor, a file that is not in the package as the page is, or an address that is not https. */
function complaintAbout(page: Page, href: string): string | undefined {
  if (/^[a-z]+:/i.test(href))
    return /^(https:|mailto:)/.test(href) || /^http:\/\/(127\.0\.0\.1|localhost)\b/.test(href) ? undefined : 'not https'
  if (href.startsWith('/')) return 'absolute: GitHub cannot follow it'
  const [path = '', anchor] = href.split('#')
  const file = path === '' ? page.path : normalize(join(page.path, '..', decodeURI(path))).replace(/\/$/, '')
  if (file.startsWith('..') || !existsSync(`${ROOT}${file}`)) return `${file} does not exist`
  if (isPacked(page.path) && !isPacked(file)) return `${file} is not in the package`
  if (file.startsWith('docs/') && path !== '' && !/\.(md|svg|png)$/.test(file))
    return 'a page of the documentation must have the ending .md'
  if (anchor === undefined) return undefined
  if (!file.endsWith('.md')) return `${file} has no headings`
  return anchorsOf(file).has(decodeURI(anchor)) ? undefined : `${file} has no heading #${anchor}`
}

/** Words in capitals that are no settings: variables of others, and values of the graph. */
const KNOWN_WORDS = new Set([
  ...entries.flatMap(({ env }) => env ?? []),
  ...ERROR_CODES.map(({ code }) => code),
  // The table of codes in the source.
  'FIELD_CODES',
  ...Object.values(graphSchema().getTypeMap()).flatMap((type) => (isEnumType(type) ? type.getValues().map(({ name }) => name) : [])),
  // A variable of Node.js.
  'NODE_EXTRA_CA_CERTS',
  // A variable of proxies that the gateway does not read.
  'ALL_PROXY',
  // Codes of Node.js, of its TLS and of undici, and of the gateway about proxies.
  ...[
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'ECONNRESET',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_SOCKET',
    'PROXY_403',
    'PROXY_407',
    'PROXY_502',
  ],
  ...[
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'CERT_ALTNAME_INVALID',
  ],
  // Variables of the files for HAProxy.
  ...['egress', 'front', 'gateways'].flatMap((name) =>
    [...readFileSync(new URL(`../../deploy/haproxy/${name}.cfg`, import.meta.url), 'utf8').matchAll(/\$\{(\w+)(?:\[\*\])?-/g)].map(
      ([, word]) => word as string,
    ),
  ),
  'NODE_ENV',
  'NODE_OPTIONS',
  'DOCS_SCREENSHOTS',
  'NODE_20',
  'NODE_24',
  'NODE_26',
  'DEMO_USERS',
  // Constants of WordPress and of its plugin.
  'LMS_GRAPHQL_HOOKS',
  'LMS_GRAPHQL_HOOK_SECRET',
  'LMS_GRAPHQL_HOOKS_BLOG',
  'WP_ACCESSIBLE_HOSTS',
  'WP_HTTP_BLOCK_EXTERNAL',
])

const FLAGS = new Set([...entries.flatMap(({ flag }) => flag ?? []), 'help', 'version', 'versions'])

/** Options as programs and settings files name them: `area.name`. */
const PATHS = new Set(ENTRIES.map(({ path }) => path))
/** Areas whose names are not those of something else: `lms.wave` is an attribute of spans. */
const AREAS = new Set(ENTRIES.map(({ area }) => area as string).filter((area) => area !== 'lms'))

/** Flags of the gateway in a code: the whole text is a flag, or a command of the gateway. */
function flagsIn(code: string): string[] {
  const own = /^--[a-z]/.test(code) || /^(?:[A-Z_]+=\S+ )*lms-graphql( |$)/.test(code)
  return own ? [...code.matchAll(/(?<=^|\s)--([a-z][\w-]*)/g)].map(([, flag]) => flag as string) : []
}

describe.each(ALL_PAGES.map((page) => [page.path, page] as const))('%s', (path, page) => {
  const { links, codes, source, headings, blocks } = page

  it('has links that lead somewhere', () => {
    const complaints = links.flatMap(({ text, line }) => {
      const complaint = complaintAbout(page, text)
      return complaint === undefined ? [] : [`${path}:${line}: ${text}: ${complaint}`]
    })
    expect(complaints).toEqual([])
  })

  it.runIf(path !== `docs/${HOME}`)('has one title', () => {
    expect(headings.filter(({ level }) => level === 1)).toHaveLength(1)
    expect(headings[0]?.level).toBe(1)
  })

  it('names scripts that exist', () => {
    for (const [, script] of source.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(script)
  })

  it('names flags, variables, options and error codes that exist', () => {
    const wrong = codes.flatMap(({ text, line }) => {
      const flags = flagsIn(text).filter((flag) => !FLAGS.has(flag) && !process.allowedNodeEnvironmentFlags.has(`--${flag}`))
      const [, word] = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$/.exec(text) ?? []
      const [, path, area] = /^(([a-z]+)\.[a-z]\w*)$/.exec(text) ?? []
      const isUnknown = area !== undefined && AREAS.has(area) && !PATHS.has(path as string) && path !== 'http.createServer'
      return [
        ...flags.map((flag) => `--${flag}`),
        ...(word === undefined || KNOWN_WORDS.has(word) ? [] : [word]),
        ...(isUnknown ? [text] : []),
      ].map((name) => `${path}:${line}: ${name} does not exist`)
    })
    expect(wrong).toEqual([])
  })

  it('names the file of this version, and a command that is installed', () => {
    for (const [, named] of source.matchAll(/lms-graphql-(\d+\.\d+\.\d+)\.tgz/g)) expect(named).toBe(version)
    // The package is not in the registry, so that `npx` would not find it.
    for (const { text } of [...blocks, ...codes]) expect(text).not.toMatch(/\bnpx lms-graphql\b/)
  })
})

const readme = ALL_PAGES.find(({ path }) => path === 'README.md')

it.runIf(readme)('the README has at most 160 lines', () => {
  expect((readme as Page).source.split('\n').length - 1).toBeLessThanOrEqual(160)
})
