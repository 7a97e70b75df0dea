import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readOptions } from '../../src/options/read.js'
import { writeSettingsFile } from '../../src/options/settings-file.js'
import { ENTRIES, entryAt } from '../../src/options/table.js'
import { besideOf, goodOf, variablesOf, withOption } from './samples.js'
import { bare, complaintsAbout, complaintsOf, optionsIn, optionsOf, programOf, valueAt } from './setup.js'

const JSON_ONLY = 'is not valid JSON: it has YAML syntax, such as unquoted texts or comments'
const INDENTED = 'the line is indented, or the line before it lacks a quote'

describe('a settings file', () => {
  it.each([
    ['', 'lms.yaml'],
    ['# nothing\n\n# at all\n', 'lms.yaml'],
    ['---\n...\n', 'lms.conf'],
    ['{}', 'lms.json'],
    ['http:\n  # port: 1\n', 'lms.yml'],
  ])('may have no options: %j in %s', (text, path) => {
    expect(optionsIn(text, path).http.port).toBe(4_000)
  })

  it('may have a byte order mark, and line ends of Windows', () => {
    expect(optionsIn('\uFEFFhttp:\r\n  port: 1\r\n  host: a\r\n').http).toMatchObject({ port: 1, host: 'a' })
    expect(optionsIn('\uFEFF{"http": {"port": 1}}', 'lms.json').http.port).toBe(1)
  })

  it('may have options of other commands', () => {
    expect(optionsIn('site: {user: admin, pageCap: 5}\nlms: {scale: 2}', 'lms.yaml', ['lms'])).toMatchObject({
      site: { user: undefined, pageCap: undefined },
      lms: { scale: 2 },
      http: { port: 4_001 },
    })
    // `schema` reads no file.
    expect(optionsOf(['schema'], { CONFIG_FILE: 'missing' }).command).toBe('schema')
  })

  it('is named by the flag rather than by the variable', () => {
    const files = { 'a.yaml': 'http: {port: 1}', 'b.yaml': 'http: {port: 2}' }
    expect(optionsOf(['--config', 'a.yaml'], { CONFIG_FILE: 'b.yaml' }, files).options.http.port).toBe(1)
    expect(optionsOf([], { CONFIG_FILE: 'b.yaml' }, files).options.http.port).toBe(2)
  })

  it.each<[string, string]>([
    ['- http', 'must contain an object of settings'],
    ['s3cret', 'must contain an object of settings'],
    [`"${'k'.repeat(5_000)}": 1`, 'is not valid YAML, at line 1: a key is too long'],
    ['http: {}\n---\nsite: {}', 'is not valid YAML, at line 2: it holds several documents'],
    ['http:\n  host: s3cret: b', 'is not valid YAML, at line 2: there is a second colon, so the value needs quotes'],
    ['http:\n  port: 1\n    host: a', `is not valid YAML, at line 3: ${INDENTED}`],
    ['http:\n\tport: 1', 'is not valid YAML, at line 2: it is indented by tabs'],
    ['http:\n  host: "s3cret', 'is not valid YAML, at line 2: a quote, comma, colon or bracket is missing'],
    ['http:\n  host: "\\s3cret"', 'is not valid YAML, at line 2: an escape in a text is wrong'],
    ['http:\n  port: 1\n  port: 2', 'is not valid YAML, at line 3: a key is there twice'],
    ['http: {}\nhttp: {}', 'is not valid YAML, at line 2: a key is there twice'],
    ['http:\n  host: !s3cret a', 'is not valid YAML, at line 2: the tag is unknown'],
    ['http:\n  host: !!str s3cret', 'has a tag in line 2; write a plain value'],
    ['http: !!set {s3cret}', 'has a tag in line 1; write a plain value'],
    ['http:\n  host: &s3cret a\nlms:\n  data: *s3cret', 'has an alias in line 4; write a plain value'],
    ['x: &x {port: 1}\nhttp:\n  <<: *x', 'has an alias in line 3; write a plain value'],
  ])('is refused with the line of what cannot be read, and no text of the file: %j', (text, complaint) => {
    // Missing options may be in the file, so there is no complaint about the user without a password.
    expect(complaintsAbout(text, 'lms.yaml', ['--lms-user=x'])).toEqual([`\`lms.yaml\` ${complaint}.`])
  })

  it.each<[string, string]>([
    ['{"http": {}} # s3cret', JSON_ONLY],
    ['{http: s3cret}', JSON_ONLY],
    ['{"http": {},}', JSON_ONLY],
    ['', JSON_ONLY],
    ['["s3cret"]', 'must contain an object of settings'],
    ['null', 'must contain an object of settings'],
    ['{\n"http": "s3cret"', 'is not valid JSON, at line 2: a quote, comma, colon or bracket is missing'],
    ['{"http": {\n"port": 1,\n"port": 2}}', 'is not valid JSON, at line 3: a key is there twice'],
  ])('must be JSON when its name says so: %j', (text, complaint) => {
    expect(complaintsAbout(text, 'lms.json')).toEqual([`\`lms.json\` ${complaint}.`])
  })

  it.each([
    ['brackets', '['.repeat(300_000)],
    ['braces', '{"a":'.repeat(100_000)],
    ['dashes', '- '.repeat(300_000)],
    ['questions', '? '.repeat(300_000)],
    ['colons', 'a: '.repeat(300_000)],
    ['indentation', Array.from({ length: 1_300 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
    ['brackets in a value', `http: ${'['.repeat(300_000)}`],
  ])('is refused without being read when %s nest deeply', (_, text) => {
    for (const path of ['lms.yaml', 'lms.json'])
      expect(complaintsAbout(text, path)).toEqual([`\`${path}\` is nested too deeply; it must be an object of settings.`])
  })
})

describe('a relative name of a file', () => {
  const files = ENTRIES.filter(({ kind }) => kind === 'file')
  const textIn = (secret: unknown): string => [secret].flat().join('\n')

  it.each(files.map((entry) => [entry.path, entry] as const))(
    'at %s starts at the folder of the settings file, or at the working directory when a flag or variable has it',
    (_, entry) => {
      const { fills, flag, env, commands, area, name, description } = entry
      expect(description).toContain('A relative name starts at the working directory, or in a settings file at the folder of that file.')
      const secrets = fills === undefined ? [] : goodOf(entryAt(fills)).map(({ value }) => value)
      const [near, far] = [secrets[0], secrets.at(-1)]
      const read = (argv: readonly string[], env: Readonly<Record<string, string>>, file: string): unknown => {
        const texts = { 'x.txt': textIn(near), 'etc/x.txt': textIn(far), 'etc/lms.yaml': file }
        const result = optionsOf(
          [commands[0] as string, '--config=etc/lms.yaml', ...argv],
          { ...variablesOf(besideOf(entry)), ...env },
          texts,
        )
        return valueAt(result, fills === undefined ? entry : entryAt(fills))
      }
      const [here, there] = fills === undefined ? ['x.txt', 'etc/x.txt'] : [near, far]
      expect(read([], {}, `${area}: {${name}: x.txt}`)).toEqual(there)
      expect([read([`--${flag}=x.txt`], {}, ''), read([], { [env as string]: 'x.txt' }, '')]).toEqual([here, here])
      if (fills === undefined) expect(read([], {}, `${area}: {${name}: /var/x.txt}`)).toBe('/var/x.txt')
    },
  )
})

describe('a written settings file', () => {
  it.each(ENTRIES.filter(({ env, fills }) => env !== undefined && fills === undefined).map((entry) => [entry.path, entry] as const))(
    'reads back %s',
    (_, entry) => {
      for (const { value, read } of goodOf(entry)) {
        const text = writeSettingsFile(withOption({}, entry, value))
        expect(text).toMatch(new RegExp(`^${entry.area}:\n  # .*\n  ${entry.name}:`))
        const { options } = optionsOf([entry.commands[0] as string, '--config=lms.yaml'], variablesOf(besideOf(entry)), {
          'lms.yaml': text,
        })
        expect(valueAt({ options }, entry)).toEqual(read)
      }
    },
  )

  it('means the same to a program that parses it', () => {
    const site = { url: 'https://example.org/wp-json', fieldFilter: null, unbatched: [], segments: { groups: 'teams' } }
    const text = writeSettingsFile({ site, protection: { maxInFlight: 2 } })
    for (const options of [optionsIn(text), programOf(parse(text))]) expect(options).toMatchObject({ site, protection: { maxInFlight: 2 } })
  })

  it('has the description of each option, and an empty line between areas', () => {
    const { preset, pageSizeParams } = { preset: entryAt('site.preset'), pageSizeParams: entryAt('site.pageSizeParams') }
    expect(writeSettingsFile({ site: { pageSizeParams: ['a', 'b'], preset: 'learndash', url: undefined }, http: { port: 0 } })).toBe(
      `site:\n  # ${preset.description}\n  preset: learndash\n  # ${pageSizeParams.description}\n  pageSizeParams:\n    - a\n    - b\n\nhttp:\n  # ${entryAt('http.port').description}\n  port: 0\n`,
    )
    expect(writeSettingsFile({})).toBe('')
  })
})

describe('a file on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const read = (path: string) => readOptions(['--config', path], {})

  it('is read, with the files that it names', () => {
    file('keys.txt', 'first-key-0123456789\n')
    const result = read(file('lms.yaml', '# ä\nhttp: {port: 8080}\naccess: {apiKeysFile: keys.txt}\n'))
    expect(bare(result)).toMatchObject({ options: { http: { port: 8_080 }, access: { apiKeys: ['first-key-0123456789'] } } })
    const program = programOf({ site: { url: 'https://lms.example.org' }, access: { apiKeysFile: join(folder, 'keys.txt') } })
    expect(bare(program.access.apiKeys)).toEqual(['first-key-0123456789'])
  })

  it('may have up to 1 MB', () => {
    const most = 'http: {port: 1} #'.padEnd(1_000_000, 'x')
    expect(read(file('most.yaml', most))).toMatchObject({ options: { http: { port: 1 } } })
    const more = file('more.yaml', `${most}x`)
    expect(read(more)).toEqual({ kind: 'complaints', complaints: [`The file \`${more}\` that \`--config\` names is larger than 1 MB.`] })
  })

  it('must exist, and not be a folder', () => {
    expect(read(folder)).toEqual({ kind: 'complaints', complaints: [`The file \`${folder}\` that \`--config\` names is a folder.`] })
    const missing = join(folder, 'missing')
    expect(read(missing)).toEqual({ kind: 'complaints', complaints: [`The file \`${missing}\` that \`--config\` names does not exist.`] })
    for (const [argv, env, name] of [
      [['--config', 'missing'], {}, '--config'],
      [[], { CONFIG_FILE: 'missing' }, 'CONFIG_FILE'],
    ] as const)
      expect(complaintsOf(argv, env)).toEqual([
        `The file \`missing\` that \`${name}\` names does not exist; its whole path is \`${resolve('missing')}\`.`,
      ])
    for (const argv of [['--config'], ['--config=']])
      expect(complaintsOf(argv)).toEqual(['`--config` has no value; it must be the name of a file.'])
  })

  it('may be a pipe', () => {
    const origins = Array.from({ length: 10_000 }, (_, index) => `https://a${index}.example.org`)
    const [text, pipe] = [file('piped.yaml', `http:\n  port: 1\n  corsOrigins: ${JSON.stringify(origins)}\n`), join(folder, 'pipe')]
    execFileSync('mkfifo', [pipe])
    spawn('sh', ['-c', 'cat "$1" > "$2"', 'sh', text, pipe], { stdio: 'ignore' })
    expect(read(pipe)).toMatchObject({ options: { http: { port: 1, corsOrigins: origins } } })
  })
})
