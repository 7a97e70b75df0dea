import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Setting } from '../../src/settings/setting.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { complaintsOf, read } from './file-setup.js'

const KEYS = 'settings are named like flags, in camel case: `maxInFlight` for `--max-in-flight`.'

describe('complaints about a configuration file', () => {
  it('come all at once, with those about flags, each with file, key and line', () => {
    const text = `port: x
maxRows: 0
prot: 1
page-cap: 5
LMS_URL: https://example.org
scale:
host: [a]
unbatched:
  - groups
  - 7
timeout: true
jwtAudience: 42
port: 1
open: maybe
introspection: 1
pageCap: { is: 5 }
questionQuiz: both
`
    expect(complaintsOf(text, 'etc/lms.yaml', ['--wrong'])).toEqual([
      '`--wrong` is not a flag; `--help` lists them.',
      '`port` (etc/lms.yaml, line 1) is `x`; it must be a whole number from 0 to 65535.',
      '`maxRows` (etc/lms.yaml, line 2) is `0`; it must be a whole number from 1 to 10000.',
      '`prot` (etc/lms.yaml, line 3) is not a setting; did you mean `port`?',
      '`page-cap` (etc/lms.yaml, line 4) is not a setting; `pageCap` is.',
      '`LMS_URL` (etc/lms.yaml, line 5) is not a setting; `upstream` is.',
      '`scale` (etc/lms.yaml, line 6) is without a value; it must be a whole number from 1 to 100.',
      '`host` (etc/lms.yaml, line 7) is a list; it must be a host name or address.',
      '`unbatched` (etc/lms.yaml, line 8) has an item that is not a text, item 2; it must be a list of groups, courses, lessons and quizzes, separated by commas, or `none`.',
      '`timeout` (etc/lms.yaml, line 11) is true or false; it must be a whole number from 1 to 600000.',
      '`jwtAudience` (etc/lms.yaml, line 12) is a number; it must be a text, in quotes.',
      '`port` (etc/lms.yaml, line 13) was set before, in line 1; drop one of them.',
      '`open` (etc/lms.yaml, line 14) is `maybe`; it must be true or false.',
      '`introspection` (etc/lms.yaml, line 15) is a number; it must be true or false.',
      '`pageCap` (etc/lms.yaml, line 16) is not a plain value; it must be a whole number from 1 to 1000.',
      '`questionQuiz` (etc/lms.yaml, line 17) is `both`; it must be id or engine.',
      // What rules say of it besides.
      expect.stringMatching(/^`jwtAudience` \(etc\/lms.yaml, line 12\) has no effect without `LMS_USER`/),
    ])
  })

  it('are the same in JSON', () => {
    expect(complaintsOf('{\n  "port": "x",\n  "prot": 1,\n  "maxRows": 1.5,\n  "maxRows": 2\n}', 'lms.json')).toEqual([
      '`port` (lms.json, line 2) is `x`; it must be a whole number from 0 to 65535.',
      '`prot` (lms.json, line 3) is not a setting; did you mean `port`?',
      '`maxRows` (lms.json, line 4) is `1.5`; it must be a whole number from 1 to 10000.',
      '`maxRows` (lms.json, line 5) was set before, in line 4; drop one of them.',
    ])
  })

  it('name the nearest setting, or how settings are named', () => {
    expect(complaintsOf('presset: lms\nfrobnicate: 1')).toEqual([
      '`presset` (lms.yaml, line 1) is not a setting; did you mean `preset`?',
      `\`frobnicate\` (lms.yaml, line 2) is not a setting; ${KEYS}`,
    ])
  })

  it('include values that a flag or variable overrides', () => {
    expect(complaintsOf('port: x', 'lms.yaml', ['--port=1'])).toHaveLength(1)
  })

  it('name settings that contradict each other, from all sources', () => {
    expect(complaintsOf('lmsUser: admin\nforwardCookie: true', 'lms.yaml', ['--open'])).toEqual([
      '`lmsUser` (lms.yaml, line 1) needs its application password: set `LMS_PASSWORD` or `LMS_PASSWORD_FILE`.',
      expect.stringMatching(/^`forwardCookie` \(lms.yaml, line 2\) cannot be used with `lmsUser` \(lms.yaml, line 1\)/),
    ])
    expect(complaintsOf('lmsUser: admin\nlmsPassword: 17\nopen: true')).toEqual([
      '`lmsPassword` (lms.yaml, line 2) is a number; it must be a text of one line, in quotes.',
    ])
    expect(complaintsOf('lmsUser: admin\nlmsPasswordFile: missing\nopen: true')).toEqual([
      'The file that `lmsPasswordFile` (lms.yaml, line 2) names does not exist.',
    ])
  })

  it.each<[string, string, string]>([
    ['a list', '- port', 'must contain an object of settings'],
    ['a text', 's3cret', 'must contain an object of settings'],
    ['a long key', `"${'k'.repeat(5_000)}": 1`, 'is not valid YAML, at line 1: a key is too long'],
    ['two documents', 'port: 1\n---\nhost: a', 'is not valid YAML, at line 2: it holds several documents'],
    ['a colon too many', 'port: 1\nhost: a: b', 'is not valid YAML, at line 2: there is a second colon, so the value needs quotes'],
    [
      'an indented line',
      'preset: learndash\n  port: 4000',
      'is not valid YAML, at line 2: the line is indented, or the line before it lacks a quote',
    ],
    [
      'an indented line further down',
      'port: 1\npreset: lms\n    host: a\n    x: y',
      'is not valid YAML, at line 3: the line is indented, or the line before it lacks a quote',
    ],
    ['tabs', 'port:\n\t1: 2', 'is not valid YAML, at line 2: it is indented by tabs'],
    ['an open quote', 'host: "s3cret', 'is not valid YAML, at line 1: a quote, comma, colon or bracket is missing'],
    ['a wrong escape', 'host: "\\s3cret"', 'is not valid YAML, at line 1: an escape in a text is wrong'],
    ['an unknown tag', 'host: !s3cret a', 'is not valid YAML, at line 1: the tag is unknown'],
    ['an open bracket', 'unbatched: [s3cret', 'is not valid YAML, at line 1: the indentation is wrong'],
  ])('have the line of a syntax error, and no text of the file: %s', (_, text, complaint) => {
    const complaints = complaintsOf(text)
    expect(complaints).toEqual([`\`lms.yaml\` ${complaint}.`])
    expect(complaints.join()).not.toContain('s3cret')
  })

  it.each<[string, string, string]>([
    ['comments', '{"port": 1} # s3cret', 'is not valid JSON: it has YAML syntax, such as unquoted texts or comments'],
    ['bare keys', '{port: s3cret}', 'is not valid JSON: it has YAML syntax, such as unquoted texts or comments'],
    ['a comma too many', '{"port": 1,}', 'is not valid JSON: it has YAML syntax, such as unquoted texts or comments'],
    ['nothing', '', 'is not valid JSON: it has YAML syntax, such as unquoted texts or comments'],
    ['a list', '["s3cret"]', 'must contain an object of settings'],
    ['null', 'null', 'must contain an object of settings'],
    ['no end', '{\n"port": "s3cret"', 'is not valid JSON, at line 2: a quote, comma, colon or bracket is missing'],
  ])('are strict about JSON: %s', (_, text, complaint) => {
    expect(complaintsOf(text, 'lms.json')).toEqual([`\`lms.json\` ${complaint}.`])
  })

  it('are only about the file when it cannot be read, since missing settings may be in it', () => {
    for (const text of ['lmsPassword: "x', '- lmsPassword: x']) expect(complaintsOf(text, 'lms.yaml', ['--lms-user=admin'])).toHaveLength(1)
    expect(read({}, ['--config', 'missing.yaml', '--lms-user=admin'])).toEqual({
      kind: 'complaints',
      complaints: [`The file \`missing.yaml\` that \`--config\` names does not exist; its whole path is \`${resolve('missing.yaml')}\`.`],
    })
    expect(read({}, [], { CONFIG_FILE: 'missing.yaml' })).toEqual({
      kind: 'complaints',
      complaints: [
        `The file \`missing.yaml\` that \`CONFIG_FILE\` names does not exist; its whole path is \`${resolve('missing.yaml')}\`.`,
      ],
    })
  })

  it.each([
    ['anchors', 'host: &a b\ndata: *a', ['`data` (lms.yaml, line 2) is not a plain value; it must be a file name.']],
    ['merges', 'x: &x {port: 1}\n<<: *x', [/^`x`/, /^`<<` \(lms.yaml, line 2\) is not a setting/]],
    ['aliases of nothing', 'host: *s3cret', [/^`host` \(lms.yaml, line 1\) is not a plain value/]],
    ['aliases in lists', 'host: &a b\nunbatched: [*a]', [/^`unbatched` \(lms.yaml, line 2\) has an item that is not a text, item 1;/]],
    ['keys that are lists', '? [a]\n: 1', [/^`…` \(lms.yaml, line 1\) is not a setting/]],
    ['keys that are nothing', ': 1', [/^`null` \(lms.yaml, line 1\) is not a setting/]],
    ['empty items', 'unbatched: [""]\npageSizeParams: [a, ""]', [/^`unbatched`.* is ``/, /^`pageSizeParams`.* is `a,`/]],
    ['no keys at all for callers', 'gatewayApiKeys: []', [/^`gatewayApiKeys`.* is wrong/]],
    [
      'keys of every object',
      '__proto__: 1\nconstructor: 2\ntoString: 3',
      [/^`__proto__`.* is not a setting/, /^`constructor`.* is not a setting/, /^`toString`.* is not a setting/],
    ],
    ['long keys', `"${'k'.repeat(1_000)}": 1`, [/^`k{60}` \(/]],
    ['control characters', '"a\\e\\n": 1', [/^`a {2}` \(/]],
    ['binary texts', 'host: !!binary aGk=', [/^`host` \(lms.yaml, line 1\) is not a plain value/]],
    ['sets', 'host: !!set {a}', [/^`host` \(lms.yaml, line 1\) is not a plain value|^`lms.yaml` is not valid YAML/]],
    ['numbers that are none', 'port: .nan\nscale: .inf\nmaxRows: 99999999999999999999', [/^`port`.* is `NaN`/, /^`scale`/, /^`maxRows`/]],
  ] as [string, string, (string | RegExp)[]][])('are made about tricks: %s', (_, text, wanted) => {
    const complaints = complaintsOf(text)
    expect(complaints).toHaveLength(wanted.length)
    wanted.forEach((each, index) => {
      expect(complaints[index]).toMatch(each)
    })
    expect(complaints.join()).not.toContain('s3cret')
  })

  it.each([
    ['brackets', '['.repeat(300_000)],
    ['braces', '{"a":'.repeat(100_000)],
    ['dashes', '- '.repeat(300_000)],
    ['questions', '? '.repeat(300_000)],
    ['colons', 'a: '.repeat(300_000)],
    ['indentation', Array.from({ length: 1_300 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
    ['brackets in a value', `port: ${'['.repeat(300_000)}`],
  ])('come soon when %s nest deeply', (_, text) => {
    for (const path of ['lms.yaml', 'lms.json'])
      expect(complaintsOf(text, path)).toEqual([`\`${path}\` is nested too deeply; it must be an object of settings.`])
  })

  it('show no secret', () => {
    for (const [name, setting] of Object.entries(SETTINGS) as [string, Setting][]) {
      if (!setting.hidden || setting.holds === 'file') continue
      for (const value of ['"s3cret:\\n"', '[s3cret, 1]', '{s3cret: s3cret}', '&s3cret "\\t"', '!s3cret x', '"s3cret'])
        expect(complaintsOf(`${name}: ${value}`).join(), `${name}: ${value}`).not.toContain('s3cret')
    }
  })
})
