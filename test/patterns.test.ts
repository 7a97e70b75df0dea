import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { decode } from 'html-entities'
import { DateTime } from 'luxon'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { readGlobalId } from '../src/graph/kit/ids.js'
import { readBody } from '../src/lms/body.js'
import { readQuery } from '../src/lms/params.js'
import { slugify, typeset } from '../src/lms/text.js'
import { changesIn } from '../src/server/hooks/changes.js'
import { answerType, isJsonType } from '../src/server/http/media-types.js'
import { nestingOf } from '../src/server/limits/measures.js'
import * as kinds from '../src/upstream/codec/kinds.js'
import { links } from '../src/upstream/codec/links.js'
import { errorFor } from '../src/upstream/errors.js'
import { parseBody } from '../src/upstream/transport/responses.js'

/** A long text: a beginning, what is repeated, and an end. */
type Long = readonly [start: string, repeated: string, end?: string]

/**
 * Regular expressions that meet text of the site or of a client, by file and as they are written there, with the texts that make them work
 * hardest. Each is timed on these and on `ANYWHERE`. A new one is one line.
 */
const MEASURED: Readonly<Record<string, Readonly<Record<string, readonly Long[]>>>> = {
  'check/usage.ts': {
    '/^[_A-Za-z]\\w{0,99}$/': [['', 'a', ' ']],
    '/^(?:key:[\\w.-]{1,40}|key|token|login|bearer|cookie|anonymous)(?=[: ]|$)/': [
      ['key:', 'a'],
      ['', 'key:'],
    ],
  },
  'doctor/checks/columns.ts': {
    '/^(\\w+_)(?:course|group|lesson)_(?:category|tag)$/': [
      ['', 'a_'],
      ['', '_course_', 'x'],
    ],
  },
  'doctor/checks/namespaces.ts': { '/v2$/': [['', 'v2', 'x']] },
  'doctor/checks/reach.ts': {
    '/\\/wp-json$/': [['', '/wp-json', 'x']],
    '/(?<!\\/)\\/+$/': [['', '/', 'x']],
    '/^ENOTFOUND|^EAI_/': [['', 'EAI']],
    '/^ECONNREFUSED/': [['', 'ECONN']],
    '/^ETIMEDOUT|TIMEOUT/': [['', 'TIME']],
    '/^ECONNRESET|^EPIPE|HPE_/': [['', 'HPE']],
    '/CERT|SIGNED|SIGNATURE|SSL|TLS/': [['', 'SIGN']],
    '/^http:\\/\\/(127\\.|localhost[:/]|\\[::1\\])/': [['http://', 'localhost']],
    '/^[ \\t\\r\\n]*[[{"]/': [['', '\n', 'x']],
  },
  'doctor/checks/routes.ts': { '/^The answer to \\S+ /': [['The answer to ', 'x']], '/\\.$/': [['', '.', 'x']] },
  'doctor/report.ts': { '/\\p{Cc}|\\p{Cf}/gu': [['', '\u0007']] },
  'doctor/trials.ts': {
    '/&[^;\\s]{1,20};|<[^<>]*>/g': [
      ['', '&'],
      ['', '<'],
      ['<', 'a'],
    ],
    '/[a-z]{4,}/gi': [
      ['', 'a'],
      ['', 'abc '],
    ],
  },
  'doctor/segments.ts': {
    '/_group_category$/': [['', '_group_category', 'x']],
    '/_course_category$/': [['', '_course_category', 'x']],
    '/^topic$/': [['topic', 'c']],
    '/_lesson_category$/': [['', '_lesson_category', 'x']],
  },
  'server/hooks/signature.ts': { '/^[1-9]\\d{0,10}$/': [['', '1', 'x']] },
  'rules/outline.ts': { '/^[1-9]\\d{0,8}$/': [['', '1', 'x']] },
  'server/auth/tokens.ts': { '/^[1-9]\\d{0,9}$/': [['', '1', 'x']] },
  'server/http/cors.ts': {
    '/^[\\w-]+(, ?[\\w-]+){0,50}$/': [
      ['', 'a'],
      ['', 'a, ', '!'],
    ],
  },
  'upstream/credentials.ts': { '/^basic /i': [['basic', ' ']] },
  'server/auth/authenticator.ts': {
    '/^Bearer +(\\S+)$/i': [
      ['Bearer', ' '],
      ['Bearer ', 'x', ' x'],
    ],
  },
  'server/auth/callers.ts': { '/[\\p{C}\\p{Zl}\\p{Zp}]/gu': [['', '\u0007']] },
  'server/limits/measures.ts': {
    '/^__(schema|type)$/': [['__type', 'e']],
  },
  'server/request-end.ts': { '/^https?:\\/\\/[^/?#]*/i': [['http://', 'x']], '/[?#].*/s': [['', '?']] },
  'server/request-state.ts': {
    '/^[_A-Za-z]\\w*$/': [['', 'a', '!']],
    '/password|passwd|passphrase|secret|token|authorization|cookie|credential|nonce|key/i': [
      ['', 'pass'],
      ['', 'authorizatio'],
    ],
  },
  'server/http/media-types.ts': { '/^charset="?utf-?8"?$/': [['charset=', '"']] },
  'operations/manifest.ts': { '/^sha256:/': [['', 'sha256']] },
  'server/limits/persisted.ts': { '/^[\\w:.~-]{1,200}$/': [['', 'a']] },
  'server/http/request-head.ts': {
    '/^(?:\\/[\\w-]+)+$/': [['', '/a', '!']],
    '/^https?:\\/\\/[\\w.:[\\]-]+(?=\\/)/i': [['http://', 'x', '#']],
    '/%2f|%5c/gi': [['', '%']],
    '/^(?:[\\w.-]{1,255}|\\[[\\da-f:.]{2,45}\\])(?::\\d{1,5})?$/i': [
      ['', 'a'],
      ['[', ':'],
    ],
    '/(?:^|\\W)100-continue(?:$|\\W)/i': [
      ['', ' 100-continue', 'x'],
      ['', ' '],
    ],
  },
  'server/http/protocol.ts': {
    '/^[\\w.:/+=@-]{1,128}$/': [['', 'a']],
    '/^(?!ff)[\\da-f]{2}-(?!0{32})[\\da-f]{32}-(?!0{16})[\\da-f]{16}-[\\da-f]{2}(-[\\x21-\\x7e]{1,200})?$/': [
      ['', 'a'],
      ['00-', '-a'],
      [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-`, 'x', ' '],
    ],
    '/^[\\x20-\\x7e]{1,512}$/': [['', 'a']],
  },
  'graph/kit/ids.ts': {
    '/^[A-Za-z0-9+/_-]{1,200}={0,2}$/': [
      ['', 'a'],
      ['a', '='],
    ],
    '/^[A-Za-z]+:[\\w:.-]+$/': [
      ['', 'a'],
      ['a', ':', '!'],
    ],
    '/^[1-9]\\d{0,9}$/': [['', '1']],
    '/^[\\w-]{1,100}$/': [['', 'a']],
  },
  'load/lookups.ts': { '/\\p{M}/gu': [['', '\u0301']] },
  'load/id-filters.ts': { '/[\\p{L}\\p{N}]+/gu': [['', 'a', ' ']] },
  'graph/kit/scalars.ts': {
    '/^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d([.,]\\d+)?(?<zone>Z|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?$/i': [
      ['2026-11-20T18:12:23.', '1', 'x'],
    ],
    '/^\\d{4}-\\d\\d-\\d\\d$/': [['2026-11-20', '0']],
  },
  'load/windows.ts': { '/^offset:(\\d{1,7})$/': [['offset:', '1']] },
  'graph/kit/mutations.ts': {
    '/(?<!\\d)(\\d{1,10})\\/?$/': [
      ['/', '1', 'x'],
      ['', '1/', 'x'],
    ],
  },
  'lms/auth.ts': {
    '/^Basic\\s+(\\S+)$/i': [
      ['Basic', ' '],
      ['Basic ', 'x', ' x'],
    ],
    '/^([^:]*):(.*)$/s': [
      ['', 'a'],
      ['', ':'],
    ],
  },
  'lms/body.ts': {
    '/^\\s*application\\/([\\w.+-]+\\+)?json\\s*(;|$)/i': [
      ['application/', '+'],
      ['application/json', ' ', 'x'],
      ['', ' '],
    ],
    '/^\\s*application\\/x-www-form-urlencoded\\s*(;|$)/i': [
      ['application/x-www-form-urlencoded', ' ', 'x'],
      ['', ' '],
    ],
  },
  'lms/control.ts': {
    '/^(::ffff:)?127\\.|^::1$/': [['', '::ffff:']],
    '/^(localhost|127\\.[\\d.]+|\\[::1\\])(:\\d+)?$/': [
      ['127.', '1'],
      ['127.1:', '1', 'x'],
    ],
    '/^application\\/json\\b/': [['application/json', 'x']],
  },
  'lms/decode.ts': {
    '/^\\s*[+-]?\\d{1,15}\\s*$/': [
      ['', ' '],
      ['1', ' ', 'x'],
    ],
    '/^\\s*[+-]?\\d+(\\.\\d+)?(e[+-]?\\d+)?\\s*$/i': [
      ['', '1', 'x'],
      ['1.', '1', 'x'],
      ['1.1e', '1', 'x'],
      ['1', ' ', 'x'],
    ],
    '/^\\d{4}-\\d\\d-\\d\\d$/': [['2026-11-20', '0']],
    '/^(\\d{1,12})([KMG]?)$/i': [
      ['', '1'],
      ['1', 'K'],
    ],
    '/^\\s*[a-z0-9]+\\s*$/i': [
      ['', ' '],
      ['a', ' ', '!'],
      ['', 'a', '!'],
    ],
    '/^\\d+$/': [['', '1', 'x']],
  },
  'lms/faults/middleware.ts': {
    '/^\\w+:\\/\\/[^/]*/': [
      ['', 'a'],
      ['http://', 'a'],
    ],
  },
  'lms/faults/responses.ts': {
    '/\\bjson\\b/': [
      ['', 'json'],
      ['', 'json_'],
    ],
    '/^127\\.|^\\[/': [['', '127']],
    '/^(\\[.*\\]|[\\d.]+)/': [
      ['[', 'a'],
      ['', '1.'],
    ],
    '/\\/?$/': [['', '/', 'x']],
  },
  'lms/encode.ts': {
    '/^\\w+$/': [['', 'a', '!']],
    '/<!-- \\/?wp:[^<\\n]*?-->\\n?/g': [
      ['<!-- wp:', 'a'],
      ['', '<!-- wp:'],
      ['<!-- wp:', '--'],
    ],
  },
  'lms/html.ts': { '/[<>"]/g': [['', '"']] },
  'lms/routes/pages.ts': {
    '/^\\/([^/]+)\\/([^/]+)$/': [
      ['/', 'a', '/'],
      ['/a/', 'a', '/'],
    ],
  },
  'lms/routes/pictures.ts': {
    '/(-\\d+x\\d+)?\\.png$/': [
      ['', '-'],
      ['-', '1'],
      ['-1x', '1'],
      ['', '-1x1'],
      ['', '.png-'],
    ],
  },
  'lms/params.ts': {
    '/^([^[\\]]+)\\[\\d*\\]$/': [
      ['', 'a'],
      ['a[', '1'],
      ['a', '['],
    ],
    '/^\\s*[+-]?\\d{1,15}\\s*$/': [
      ['', ' '],
      ['1', ' ', 'x'],
    ],
  },
  'lms/folding.ts': {
    '/^\\p{ASCII}*$/u': [['', 'a', 'ü']],
    '/[ßæœøłđðħς]/g': [['', 'ß']],
  },
  'lms/query.ts': {
    '/[\\\\%_]/g': [['', '%']],
    '/\\s+/': [
      ['', ' ', 'x'],
      ['', ' x'],
    ],
  },
  'lms/app.ts': { '/^\\/(index\\.php)?$/': [['/', 'index.php']], '/\\/$/': [['', '/', 'x']] },
  'lms/state.ts': {
    '/__trashed(-\\d+)?$/': [
      ['', '__trashed', 'x'],
      ['__trashed-', '1', 'x'],
      ['', '_'],
    ],
  },
  'lms/text.ts': {
    '/&(?!#?\\w+;)/g': [
      ['', '&'],
      ['&', 'a'],
      ['', '&a'],
    ],
    '/(^|[\\s([{>])"(?=\\S)/g': [
      ['', '"'],
      ['', ' "'],
    ],
    '/"/g': [['', '"']],
    "/(\\w)'(?=\\w)/g": [['', "a'"]],
    '/ - /g': [
      ['', ' -'],
      ['', ' - '],
    ],
    '/[&"\'-]/': [['', 'a']],
    '/(<[^<>]*>)/': [
      ['', '<'],
      ['<', 'a'],
      ['', '<a'],
    ],
    '/<[^<>]*>|&#?\\w+;/g': [
      ['', '<'],
      ['<', 'a'],
      ['&', 'a'],
      ['', '&a'],
    ],
    "/['’]/g": [['', "'"]],
    '/[^a-z0-9_]+/g': [
      ['', '!'],
      ['', '!a'],
    ],
    '/^-/': [['', '-']],
    '/-$/': [['', '-', 'x']],
  },
  'lms/time.ts': {
    '/^\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d(:?\\d\\d)?)?$/': [['2026-11-20T18:12:23.', '1', 'x']],
  },
  'graph/featured-image/type.ts': { '/[\\s,]/g': [['', ' ']] },
  'graph/price-type/type.ts': { '/^[\\w-]{1,100}$/': [['', 'a']] },
  'upstream/cache/dependencies.ts': { '/^[\\w:.-]{1,100}$/': [['', 'a:', ' ']] },
  'upstream/client.ts': { '/^\\d{1,9}$/': [['', '1']], '/\\/\\d+/g': [['', '/1']] },
  'upstream/codec/encoders.ts': {
    '/(Z|[+-]\\d\\d:?\\d\\d)$/i': [
      ['', 'Z', 'x'],
      ['', '+01:00', 'x'],
    ],
  },
  'upstream/errors.ts': {
    '/^[\\w-]{1,100}$/': [['', 'a']],
    '/<\\/?[a-z!][^<>]*>/gi': [
      ['', '<a'],
      ['<a', 'a'],
      ['', '<'],
    ],
    '/\\b\\w+:\\/\\/\\S+|([a-z]:)?([\\\\/][\\w.-]+){2,}|\\b\\d+\\.\\d+\\.\\d+\\.\\d+(:\\d+)?\\b/gi': [
      ['', 'a'],
      ['', 'a:'],
      ['', 'a:/'],
      ['/', 'a'],
      ['', '/'],
      ['', '/a'],
      ['', '1'],
      ['', '1.'],
      ['1.1.1.', '1'],
      ['1.1.1.1:', '1', 'x'],
      ['/', '.-'],
    ],
    '/\\s+/g': [
      ['', ' ', 'x'],
      ['', ' x'],
    ],
  },
  'upstream/codec/forms.ts': {
    '/^(?:[\\p{L}\\p{M}\\p{N}_-]|%[\\da-f]{2})+$/iu': [
      ['', 'a', ' '],
      ['', '%', ' '],
      ['', '%a0', '%'],
    ],
    '/^[\\w-]+$/': [['', 'a', ' ']],
    '/^\\s*[a-z\\d]+\\s*$/i': [
      ['', ' ', '!'],
      ['', 'a', '!'],
      ['a', ' ', '!'],
    ],
    '/^(\\d{1,12})([KMG]?)$/i': [['', '1', 'x']],
  },
  'graph/post/type.ts': { '/^[^\\s,]{1,200}$/': [['', 'a']] },
  'federation/references.ts': { '/^[^\\s,]{1,200}$/': [['', 'a']] },
  'upstream/transport/responses.ts': {
    '/^\\d{1,9}$/': [['', '1']],
    '/^[ \\t]*[[{]/m': [
      ['', '\n'],
      ['', ' ', 'x'],
      ['', ' \n'],
      ['', '\r\n'],
      ['', '\t'],
    ],
  },
  'upstream/codec/kinds.ts': {
    '/^[+-]/': [['', '+']],
    '/[\\p{C}\\p{Z}]/gu': [
      ['', ' '],
      ['', '\u200b'],
    ],
    '/^([a-z][a-z\\d+.-]*):/i': [['', 'a']],
    '/<\\/?[a-z!][^<>]*>/gi': [
      ['', '<a'],
      ['<a', 'a'],
      ['', '<'],
    ],
    '/^\\s*[-+]?\\d+(\\.\\d+)?\\s*$/': [
      ['', ' '],
      ['', '1', 'x'],
      ['1.', '1', 'x'],
      ['1', ' ', 'x'],
    ],
    '/^\\d+$/': [['', '1', 'x']],
    '/^\\s*\\d{4}-\\d\\d-\\d\\d/': [['', ' ', 'x']],
    '/(Z|[+-]\\d\\d:?\\d\\d)\\s*$/i': [
      ['Z', ' ', 'x'],
      ['', 'Z '],
      ['', '+0000'],
      ['', '+00:00 '],
    ],
    '/^[1-9]\\d{3}-((0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$/':
      [['2026-11-20T18:12:23', '0']],
  },
  'upstream/query.ts': {
    '/^[\\w.-]*$/': [['', 'a', '!']],
    '/\\p{Surrogate}/u': [['', '😀']],
    '/[?&]password=/': [['', '&password']],
    '/([?&]password=)[^&]*/g': [
      ['', '&password='],
      ['?password=', 'a'],
    ],
  },
  'upstream/routes.ts': { '/^\\.*$/': [['', '.', 'x']], '/\\p{Surrogate}/u': [['', '😀']] },
  'options/site.ts': {
    '/^[+-](\\d\\d):(\\d\\d)$/': [
      ['', '+00:00'],
      ['+', '00'],
    ],
  },
  'upstream/cache/read-cache.ts': {
    '/[?&]context=edit(&|$)/': [['', '&context=edit']],
    '/^wp\\//': [['', 'wp/']],
  },
  'server/core.ts': {
    '/(?:^|[\\s,])no-cache(?:$|[\\s,])/i': [
      ['', ' no-cache'],
      [' ', ','],
    ],
  },
  'upstream/codec/writing.ts': {
    '/[.!?…]$/': [['', '.', 'x']],
    '/^(?:\\[(\\d+)\\])?(:?)\\s+(.+)$/': [
      ['[', '1', 'x'],
      ['', ' '],
      [': ', 'x', '\n'],
    ],
    '/^(is|must|has|does|can) /': [['', 'is']],
  },
}

/** Texts for every expression of the table. */
const ANYWHERE: readonly Long[] = [...'\n a0_/<&[-.:"\'%=+;,!?é'].flatMap((each): Long[] => [
  ['', each],
  ['', each, '\u0000'],
])

/** Regular expressions that are not timed, each file or expression with the reason. */
const BOUNDED: Readonly<Record<string, string>> = {
  // The folder can be deleted.
  ...(existsSync(new URL('../src/accelerators', import.meta.url)) && {
    'accelerators/field-writers.ts': 'Texts of 64 characters at most.',
  }),
  'doctor/knock.ts /<([^>]*)>': 'A header of the site, which undici bounds to 16 kB.',
  'server/auth/client-address.ts': 'Addresses in headers, which Node bounds to 16 kB in all.',
  'lms/data-file.ts': 'Messages of SQLite.',
  'lms/folding.ts RegExp': 'Made of a fixed list of characters.',
  'lms/errors.ts': 'Codes of SQLite.',
  'check/': 'Text of the operator.',
  'options/': 'Text of the operator.',
  'operations/': 'Text of the operator.',
  'federation/options.ts': 'Text of the operator.',
  'lms/profile/': 'Text of the operator.',
  'graph/kit/errors.ts': 'Descriptions of this project.',
  'lms/links.ts': 'Routes of this project.',
  'lms/routes/wordpress.ts': 'Names of types and taxonomies.',
  'lms/spec/term.ts': 'Names of taxonomies.',
  'lms/seed/media.ts': 'Names of the sample school.',
  'lms/listen.ts': 'Text of the operator.',
  'lms/resources.ts': 'Names of this project.',
  'lms/routes/site.ts': 'Routes of this project.',
  'lms/seed/curriculum.ts': 'Subjects of the sample school.',
  'upstream/transport/network.ts': 'Text of the operator, and redirects to the host that the operator has named.',
  'doctor/report.ts RegExp': 'One quantifier, bounded by the width of a line.',
  'graphiql/': 'Runs in the browser of the person whose text it is, or when the project is built.',
  'federation/refusals.ts': 'Text of the operator.',
  'upstream/site/site.ts /\\/': 'Text of the operator.',
  'upstream/client.ts /\\/$/': 'Text of the operator.',
  'doctor/checks/page-size.ts': 'Messages of the site, cut to 300 characters in `upstream/errors.ts`.',
  'doctor/segments.ts RegExp': 'Anchored at both ends, and each quantifier stops at a slash, a parenthesis or the end.',
}

interface Found {
  readonly file: string
  /** As it is written; `RegExp` for one that is made when the program runs. */
  readonly text: string
}

const root = new URL('../src/', import.meta.url)

function expressionsIn(file: string): Found[] {
  const found: Found[] = []
  const visit = (node: any): void => {
    if (typeof node !== 'object' || node === null) return
    if (node.type === 'Literal' && node.regex) found.push({ file, text: node.raw })
    if (/^(New|Call)Expression$/.test(node.type) && node.callee.name === 'RegExp') found.push({ file, text: 'RegExp' })
    for (const member of Object.values(node)) visit(member)
  }
  visit(parseSync(file, readFileSync(new URL(file, root), 'utf8')).program)
  return found
}

const FOUND = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .sort()
  .flatMap(expressionsIn)

const nameOf = ({ file, text }: Found): string => `${file} ${text}`
const reasonsFor = (found: Found): string[] => Object.keys(BOUNDED).filter((key) => nameOf(found).startsWith(key))
const isMeasured = ({ file, text }: Found): boolean => MEASURED[file]?.[text] !== undefined

const SHORT = 5_000
const RUNS = 4
/** Below this many milliseconds a time says more about the machine than about the code. */
const LEAST = 2
const MOST_RATIO = 20

const long = ([start, repeated, end = '']: Long, length: number): string =>
  start + repeated.repeat(Math.ceil(length / repeated.length)) + end

/** Milliseconds of CPU that the process has used. Unlike the time of day, they do not depend on what else the machine does. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of the fastest of several runs. */
function timeOf(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < RUNS; i++) {
    const start = cpuTime()
    run()
    best = Math.min(best, cpuTime() - start)
  }
  return best
}

/** How many times longer ten times the text takes. */
function growth(run: (text: string) => unknown, text: Long, length = SHORT): number {
  const [short, ten] = [long(text, length), long(text, 10 * length)]
  // A warm-up, so that what is compiled once counts for neither.
  run(short)
  const once = Math.max(
    timeOf(() => run(short)),
    LEAST,
  )
  const start = cpuTime()
  run(ten)
  const first = cpuTime() - start
  // A run that is slow may be one of a busy machine, and is repeated unless it is hopeless.
  const tenfold =
    first < MOST_RATIO * once
      ? first
      : first > 2_000
        ? first
        : Math.min(
            first,
            timeOf(() => run(ten)),
          )
  return tenfold / once
}

const expectLinear = (run: (text: string) => unknown, texts: readonly Long[], length?: number): void => {
  const slow = texts.map((text) => ({ text, growth: growth(run, text, length) })).filter((each) => each.growth >= MOST_RATIO)
  expect(slow).toEqual([])
}

describe('regular expressions', () => {
  it('are each in the table of those that are timed, or in the list of those that need not be', () => {
    expect(FOUND.filter((each) => !isMeasured(each) && reasonsFor(each).length === 0).map(nameOf)).toEqual([])
    // A reason for a whole folder may have exceptions.
    expect(FOUND.filter((each) => isMeasured(each) && reasonsFor(each).some((key) => !key.endsWith('/'))).map(nameOf)).toEqual([])
  })

  it('are all still there', () => {
    const listed = Object.entries(MEASURED).flatMap(([file, texts]) => Object.keys(texts).map((text) => ({ file, text })))
    expect(listed.map(nameOf).filter((name) => !FOUND.some((each) => nameOf(each) === name))).toEqual([])
    expect(Object.keys(BOUNDED).filter((key) => !FOUND.some((each) => reasonsFor(each).includes(key)))).toEqual([])
  })

  const distinct = new Map(FOUND.filter(isMeasured).map((found) => [nameOf(found), found]))
  it.each([...distinct.values()])('take linear time: $file $text', ({ file, text }) => {
    const [, source, flags] = /^\/(.*)\/(\w*)$/s.exec(text) as unknown as [string, string, string]
    const pattern = new RegExp(source, flags)
    const run = (long: string): unknown =>
      pattern.global ? long.replace(pattern, 'x') : text === '/\\s+/' ? long.split(pattern) : pattern.exec(long)
    expectLinear(run, [...(MEASURED[file]?.[text] ?? []), ...ANYWHERE])
  })

  it('are found to be slow where they are', () => {
    expect(growth((text) => text.search(/^\s*[[{]/m), ['', '\n'], 2_000)).toBeGreaterThan(MOST_RATIO)
    expect(growth((text) => text.replace(/\w+:\/\/\S+/g, ''), ['', 'a'], 2_000)).toBeGreaterThan(MOST_RATIO)
  })
})

/** Functions that look at text of the site or of a client otherwise. */
const FUNCTIONS: readonly [name: string, run: (text: string) => unknown, texts: readonly Long[], length?: number][] = [
  [
    'the search for JSON behind other text',
    (text) => parseBody(Buffer.from(text)),
    [
      ['<html>', '\n'],
      ['', '[\n'],
      ['', '{'],
      ['', '\uFEFF'],
    ],
  ],
  [
    'a refusal of the site',
    (text) =>
      errorFor('v1/list', 400, {
        code: 'x',
        message: text,
        data: { params: Object.fromEntries([...'abcdefghij'].map((name) => [name, text])) },
      }),
    [
      ['', 'a'],
      ['', '<a'],
      ['', '&amp;'],
      ['', '/a'],
    ],
    300,
  ],
  [
    'entities',
    decode,
    [
      ['', '&'],
      ['&', 'a'],
      ['', '&am'],
      ['&#', '1'],
      ['&#x', 'f'],
      ['', '&amp'],
    ],
  ],
  [
    'a title',
    kinds.plainText as never,
    [
      ['', '<a'],
      ['', '&lt;'],
      ['', '<&'],
    ],
  ],
  [
    'a URL',
    kinds.url as never,
    [
      ['', ' '],
      ['', '&Tab;'],
      ['java', '\t', 'script:'],
      ['', 'a'],
      ['', '\u200b', ':'],
    ],
  ],
  [
    'a date and time',
    kinds.instant as never,
    [
      ['2026-11-20T18:12:23.', '1'],
      ['2026-11-20', ' ', 'x'],
      ['2026-11-20T18:12:23', '+01:00'],
    ],
  ],
  [
    'a moment in seconds or with its zone',
    kinds.timestampOrText as never,
    [
      ['', '1'],
      ['', ' ', 'Z'],
      ['2026-11-20T18:12:23.', '1', 'Z'],
      ['2026-11-20', ' ', 'Z'],
      ['2026-11-20T18:12:23Z', ' ', 'x'],
      ['2026-11-20T18:12:23', '+01:00'],
    ],
  ],
  [
    'a day',
    kinds.localDate as never,
    [
      ['2026-11-20', '0'],
      ['', '1', 'x'],
      ['2026-11-20', ' 00:00'],
    ],
  ],
  [
    'a list of words',
    kinds.commaList as never,
    [
      ['', ','],
      ['', ' ,'],
      ['', 'a,'],
    ],
  ],
  [
    'the address of a link',
    (text) => links({ self: [{ href: text }] }),
    [
      ['', 'a'],
      ['', ':'],
      ['', ' '],
    ],
  ],
  [
    'ISO dates',
    (text) => DateTime.fromISO(text),
    [
      ['2026-11-20T18:12:23.', '1'],
      ['2026-W', '1'],
      ['2026-11-20T18:12:23[', 'a/'],
    ],
  ],
  [
    'a global id',
    readGlobalId,
    [
      ['', 'a'],
      ['', '='],
    ],
  ],
  [
    'brackets of a document',
    (text) => nestingOf(text, 100),
    [
      ['', '"""'],
      ['', '"'],
      ['"""', '\\"""'],
      ['', '#'],
      ['', '{}'],
      ['', '\\'],
    ],
  ],
  [
    'the changes in a delivery',
    (text) => changesIn(Buffer.from(text), ['course']),
    [
      ['', '['],
      ['[', '{},', '0]'],
      ['[', '{"type":"course","kind":"updated"},', '0]'],
      ['{"type":"', 'x', '"}'],
    ],
  ],
  [
    '`Accept`',
    answerType,
    [
      ['', ','],
      ['', ';'],
      ['application/json', ';q=1'],
      ['', '*/*,'],
    ],
  ],
  [
    '`Content-Type`',
    isJsonType,
    [
      ['application/json', ';'],
      ['application/json;', ' '],
    ],
  ],
  [
    'a title as pages show it',
    typeset,
    [
      ['', '"'],
      ['', '<'],
      ['', '&'],
      ['', "a'"],
      ['', ' - '],
    ],
  ],
  [
    'a slug',
    slugify,
    [
      ['', '\u0316\u0301'],
      ['', '<'],
      ['', '&a'],
      ['', 'ﷺ'],
      ['', '-'],
    ],
  ],
  [
    'a query of the embedded LMS',
    readQuery,
    [
      ['', 'a[]=1&'],
      ['', '&'],
      ['a', '['],
      ['a', '[]'],
    ],
  ],
]

describe('text of the site or of a client takes linear time', () => {
  it.each(FUNCTIONS)('in %s', (_, run, texts, length) => {
    expectLinear(run, texts, length)
  })

  it('in the names of a form', async () => {
    const timed = async (name: string): Promise<number> => {
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < RUNS; i++) {
        const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
        const call = {
          req: {
            url: 'http://lms/',
            header: (key: string) => headers.get(key) ?? undefined,
            text: async () => '',
            raw: new Response(`${name}=1`),
          },
        }
        const start = cpuTime()
        await readBody(call as never)
        best = Math.min(best, cpuTime() - start)
      }
      return best
    }
    for (const unit of ['[', '[a', '[]', ']', '[a]']) {
      const [once, tenfold] = [await timed(`a${unit.repeat(SHORT)}`), await timed(`a${unit.repeat(10 * SHORT)}`)]
      expect([unit, tenfold / Math.max(once, LEAST) < MOST_RATIO]).toEqual([unit, true])
    }
  })
})
