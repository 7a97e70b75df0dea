import { Settings } from 'luxon'
import { describe, expect, it } from 'vitest'
import * as kinds from '../../../src/upstream/codec/kinds.js'
import { curies, links } from '../../../src/upstream/codec/links.js'

const BAD = kinds.UNDECODABLE

const ADDRESSES = [
  'https://site.example/a:b',
  'http://site.example',
  'HTTPS://SITE.EXAMPLE/',
  ' https://site.example/ ',
  '//site.example/x',
  '/courses/?x=javascript:alert(1)',
  'courses/a',
  '#javascript:',
  '?a=b:c',
  './javascript:x',
  'https&colon;//site.example/',
]

/** URLs that a page must not use for a link: as they are, and as browsers read them. */
const DANGEROUS = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' \u0001\u001f javascript:alert(1)',
  '\u00a0javascript:alert(1)',
  '\ufeffjavascript:alert(1)',
  'java\tscr\nipt\r:alert(1)',
  `${' '.repeat(5_000)}javascript:alert(1)`,
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'java&Tab;script:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'DATA:text/html;base64,PHNjcmlwdD4=',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://site.example/1',
  'view-source:https://site.example/',
  'intent://x#Intent;end',
]

/** An object of so many levels. */
const nested = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`)

/** Raw values as sites send them, and what each kind makes of them. */
/** What moments in seconds and moments with their zone are decoded as. */
const MOMENTS: readonly (readonly [raw: unknown, value: unknown])[] = [
  [1_903_860_000, '2030-05-01T10:00:00Z'],
  ['1903860000', '2030-05-01T10:00:00Z'],
  [' 1903860000 ', '2030-05-01T10:00:00Z'],
  [-1, '1969-12-31T23:59:59Z'],
  [1_903_860_000.5, '2030-05-01T10:00:00.500Z'],
  ['2026-11-20T18:12:23Z', '2026-11-20T18:12:23Z'],
  ['2026-11-20T18:12:23z ', '2026-11-20T18:12:23Z'],
  ['2026-11-20T20:12:23+02:00', '2026-11-20T18:12:23Z'],
  ['2026-11-20 13:12:23-0500', '2026-11-20T18:12:23Z'],
  [0, null],
  ['0', null],
  ['', null],
  [false, null],
  [1e20, BAD],
  [Number.NaN, BAD],
  [true, BAD],
  [{}, BAD],
  [[1_903_860_000], BAD],
]

const TABLE: Readonly<Record<string, readonly [kinds.Decode<unknown>, readonly (readonly [raw: unknown, value: unknown])[]]>> = {
  text: [
    kinds.text,
    [
      ['', ''],
      ['Algebra', 'Algebra'],
      ['a &#038; b', 'a &#038; b'],
      [49, '49'],
      [0, '0'],
      [true, BAD],
      [[], BAD],
      [{ rendered: 'x' }, BAD],
    ],
  ],
  word: [
    kinds.word,
    [
      ['', null],
      [false, null],
      ['open', 'open'],
      [7, '7'],
      [{}, BAD],
    ],
  ],
  url: [
    kinds.url,
    [
      ...ADDRESSES.map((text) => [text, text] as const),
      ...DANGEROUS.map((text) => [text, BAD] as const),
      ['mailto:a@site.example', BAD],
      ['tel:+431234', BAD],
      ['', null],
      [false, null],
      [5, '5'],
      [{}, BAD],
    ],
  ],
  urlText: [
    kinds.urlText,
    [
      ...ADDRESSES.map((text) => [text, text] as const),
      ...DANGEROUS.map((text) => [text, BAD] as const),
      ...['mailto:a@site.example', 'TEL:+431234', '<iframe src="https://video.example/1"></iframe>', '[video src="https://v.example"]'].map(
        (text) => [text, text] as const,
      ),
      ['', ''],
      [5, '5'],
      [{}, BAD],
    ],
  ],
  html: [
    kinds.html,
    [
      ['<p>x</p>', '<p>x</p>'],
      [{ rendered: '<p>x</p>', raw: 'x' }, '<p>x</p>'],
      ['', ''],
      [{ raw: 'x' }, BAD],
      [[], BAD],
    ],
  ],
  plainText: [
    kinds.plainText,
    [
      ['Intro &#8220;Safety&#8221; &#038; Tools <b>x</b>', 'Intro “Safety” & Tools x'],
      ['2 &lt; 3', '2 < 3'],
      ['1 < 2', '1 < 2'],
      ['<!-- c -->Title', 'Title'],
      ['&amp;lt;', '&lt;'],
      ['<P>x</P >', 'x'],
      ['a < b > c', 'a < b > c'],
      ['', ''],
      ['🎓 Emoji', '🎓 Emoji'],
      [12, '12'],
      [[], BAD],
    ],
  ],
  toggle: [
    kinds.toggle,
    [
      ...[true, 'on', 'yes', 'true', '1', 1].map((raw) => [raw, true] as const),
      ...[false, '', 'off', 'no', 'false', '0', 0].map((raw) => [raw, false] as const),
      ['maybe', BAD],
      [2, BAD],
      [[], BAD],
    ],
  ],
  integer: [
    kinds.integer,
    [
      ['', null],
      [false, null],
      [30, 30],
      [0, 0],
      ['0', 0],
      ['10', 10],
      [' 7 ', 7],
      ['-3', -3],
      [2.5, BAD],
      ['2.5', BAD],
      [2 ** 31, BAD],
      [-(2 ** 31), -(2 ** 31)],
      ['12abc', BAD],
      ['1e3', BAD],
      ['0x10', BAD],
      [true, BAD],
      [Number.NaN, BAD],
      [[5], BAD],
    ],
  ],
  decimal: [
    kinds.decimal,
    [
      ['', null],
      ['0.8', 0.8],
      ['80', 80],
      [2.5, 2.5],
      ['12.50', 12.5],
      ['0,8', BAD],
      ['.5', BAD],
      [Number.POSITIVE_INFINITY, BAD],
    ],
  ],
  reference: [
    kinds.reference,
    [
      [0, null],
      ['0', null],
      ['', null],
      [false, null],
      [12, 12],
      ['12', 12],
      [-1, BAD],
      ['x', BAD],
    ],
  ],
  references: [
    kinds.references,
    [
      ['', []],
      [0, []],
      ['0', []],
      [false, []],
      [[], []],
      [[''], []],
      [[0], []],
      [
        [7, 8],
        [7, 8],
      ],
      [
        ['7', 8],
        [7, 8],
      ],
      [[null, 7], [7]],
      [{ 0: 7, 12: '8' }, [7, 8]],
      [{ 0: 7, a: 8 }, BAD],
      [{ 0: 7, a1: 8 }, BAD],
      [{ 0: 7, '1a': 8 }, BAD],
      [['x'], BAD],
      [{}, BAD],
      ['7,8', BAD],
    ],
  ],
  texts: [
    kinds.texts,
    [
      [[], []],
      [
        ['post-1', 'type-page'],
        ['post-1', 'type-page'],
      ],
      [{ 0: 'a', 2: 'b' }, ['a', 'b']],
      [[1], BAD],
      [['a', 1], BAD],
      ['a', BAD],
    ],
  ],
  commaList: [
    kinds.commaList,
    [
      ['', []],
      ['pdf, docx,,txt ', ['pdf', 'docx', 'txt']],
      [['pdf'], ['pdf']],
      [5, BAD],
    ],
  ],
  instant: [
    kinds.instant,
    [
      ['2026-11-20T18:12:23', '2026-11-20T18:12:23Z'],
      ['2026-11-20T18:12:23Z', '2026-11-20T18:12:23Z'],
      ['2026-11-20T20:12:23+02:00', '2026-11-20T18:12:23Z'],
      ['2026-11-20 18:12:23', '2026-11-20T18:12:23Z'],
      ['2024-02-29T00:00:00', '2024-02-29T00:00:00Z'],
      ['2026-12-31T23:59:59', '2026-12-31T23:59:59Z'],
      ['', null],
      [false, null],
      ['0', null],
      ['0000-00-00 00:00:00', null],
      ['0000-00-00T00:00:00', null],
      [0, null],
      [' 2026-11-20T18:12:23 ', '2026-11-20T18:12:23Z'],
      ['2026-11-20T18:12:23.5', '2026-11-20T18:12:23.500Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
      ['0001-01-01T00:00:00+02:00', BAD],
      ['9999-12-31T23:59:59', '9999-12-31T23:59:59Z'],
      ['9999-12-31T23:59:59-02:00', BAD],
      ['2026', BAD],
      ['2026-11', BAD],
      ['2026-W47', BAD],
      ['on 2026-11-20', BAD],
      ['x2026-11-20', BAD],
      ['2026-02-30T00:00:00', BAD],
      ['2026-02-29T00:00:00', BAD],
      ['2026-04-31T00:00:00', BAD],
      ['2026-13-01T00:00:00', BAD],
      ['yesterday', BAD],
      [1_700_000_000, BAD],
    ],
  ],
  timestamp: [kinds.timestamp, [...MOMENTS, ['2026-11-20T18:12:23', BAD], ['2026-11-20', BAD], ['soon', BAD], ['soon Z', BAD]]],
  timestampOrText: [
    kinds.timestampOrText,
    [...MOMENTS, ['2026-11-20T18:12:23', null], ['2026-11-20', null], ['0000-00-00 00:00:00', null], ['soon', null], ['soon Z', null]],
  ],
  localDateTime: [
    kinds.localDateTime,
    [
      ['2026-11-20T13:12:23', '2026-11-20T13:12:23'],
      ['2026-11-20 13:12:23', '2026-11-20T13:12:23'],
      ['2026-11-20T13:12:23+05:00', '2026-11-20T13:12:23'],
      ['2024-02-29T13:12:23', '2024-02-29T13:12:23'],
      ['', null],
      ['0', null],
      ['0000-00-00 00:00:00', null],
      ['2026-02-30T00:00:00', BAD],
      ['soon', BAD],
    ],
  ],
  localDate: [
    kinds.localDate,
    [
      ['2026-11-20', '2026-11-20'],
      ['2026-11-20T13:12:23', '2026-11-20'],
      [1_903_860_000, '2030-05-01'],
      ['1903860000', '2030-05-01'],
      [1_903_824_000, '2030-05-01'],
      [1_903_910_399, '2030-05-01'],
      ['2026-11-20T23:12:23+05:00', '2026-11-20'],
      ['2026-11-20T23:12:23-05:00', '2026-11-20'],
      ['', null],
      ['0', null],
      [0, null],
      [false, null],
      ['2026-02-30', BAD],
      ['soon', BAD],
      [1e20, BAD],
    ],
  ],
  object: [
    kinds.object,
    [
      [nested(512), nested(512)],
      [nested(513), BAD],
      [nested(20_000), BAD],
      [{ list: [nested(511)] }, BAD],
      [{}, {}],
      [{ a: [1] }, { a: [1] }],
      [[], {}],
      [[1], BAD],
      ['', BAD],
    ],
  ],
  points: [
    kinds.points,
    [
      [true, 1],
      [false, 0],
      [3, 3],
      ['5', 5],
      ['', null],
      [1.5, BAD],
    ],
  ],
  links: [
    links,
    [
      [[], []],
      ['x', BAD],
      [
        {
          self: [{ href: 'https://a.example/1', targetHints: { allow: ['GET', 'POST'] } }],
          'version-history': [{ count: 3, href: 'https://a.example/1/revisions' }],
          'wp:term': [{ taxonomy: 'category', embeddable: true, href: 'https://a.example/t' }, 'no link'],
          'predecessor-version': { id: 9, href: 'https://a.example/r/9' },
          curies: [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }],
        },
        [
          {
            rel: 'self',
            href: 'https://a.example/1',
            embeddable: null,
            count: null,
            taxonomy: null,
            databaseId: null,
            allow: ['GET', 'POST'],
          },
          {
            rel: 'version-history',
            href: 'https://a.example/1/revisions',
            embeddable: null,
            count: 3,
            taxonomy: null,
            databaseId: null,
            allow: null,
          },
          {
            rel: 'wp:term',
            href: 'https://a.example/t',
            embeddable: true,
            count: null,
            taxonomy: 'category',
            databaseId: null,
            allow: null,
          },
          {
            rel: 'predecessor-version',
            href: 'https://a.example/r/9',
            embeddable: null,
            count: null,
            taxonomy: null,
            databaseId: 9,
            allow: null,
          },
        ],
      ],
    ],
  ],
  curies: [
    curies,
    [
      [{ self: [{ href: 'x' }] }, []],
      [
        { curies: [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }] },
        [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }],
      ],
      [{ curies: [{}] }, [{ name: null, href: null, templated: null }]],
    ],
  ],
}

describe.each(['UTC', 'America/New_York', 'Asia/Tokyo'])('in %s', (zone) => {
  it.each(Object.entries(TABLE))('%s', (_, [decode, cases]) => {
    const { defaultZone } = Settings
    Settings.defaultZone = zone
    try {
      expect(cases.map(([raw]) => [raw, decode(raw)])).toEqual(cases)
    } finally {
      Settings.defaultZone = defaultZone
    }
  })
})

it('every kind is in the table', () => {
  // What is done with decoded values of two columns is in `test/graph/question-texts.test.ts` and `progress-moments.test.ts`.
  const others = ['momentIn', 'unlessZero', 'withoutEntities']
  const decoders = Object.entries(kinds).filter(([name, value]) => typeof value === 'function' && !others.includes(name))
  expect(decoders.map(([name]) => name).sort()).toEqual(
    Object.keys(TABLE)
      .filter((name) => name !== 'links' && name !== 'curies')
      .sort(),
  )
})
