import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { allowedAs } from '../../src/options/complaints.js'
import { ENTRIES, type Entry, entryAt } from '../../src/options/table.js'
import { besideOf, goodOf, type Nested, VALUED, variablesOf, withOption, wrongTextsOf, wrongValuesOf } from './samples.js'
import { complaintsOf, optionsOf, programComplaints, programOf, valueAt } from './setup.js'

type Read = { readonly value: unknown } | { readonly complaints: readonly string[] }

/** A way to give an option. */
interface Reader {
  readonly name: string
  readonly takes: (entry: Entry) => boolean
  /** Whether values are texts. */
  readonly texts: boolean
  /** How complaints begin. */
  readonly named: (entry: Entry) => string
  readonly argv?: (entry: Entry, text: string) => readonly string[]
  readonly env?: (entry: Entry, text: string) => Readonly<Record<string, string>>
  readonly file?: readonly [path: string, write: (options: Nested) => string]
}

const inFile = (path: string, write: (options: Nested) => string, texts: boolean): Reader => ({
  name: `${path}${texts ? ', as the text of a flag' : ''}`,
  takes: ({ area, env }) => area !== undefined && env !== undefined,
  texts,
  named: (entry) => `\`${entry.path}\` (${path}, line `,
  file: [path, write],
})

const asJson = (options: Nested) => JSON.stringify(options, null, 2)

const READERS: readonly Reader[] = [
  {
    name: 'a flag',
    takes: ({ flag }) => flag !== undefined,
    texts: true,
    named: ({ flag }) => `\`--${flag}\``,
    argv: ({ flag }, text) => [`--${flag}=${text}`],
  },
  {
    name: 'a variable',
    takes: ({ env }) => env !== undefined,
    texts: true,
    named: ({ env }) => `\`${env}\``,
    env: ({ env }, text) => ({ [env as string]: text }),
  },
  inFile('lms.yaml', (options) => stringify(options), false),
  inFile('lms.yaml', (options) => stringify(options), true),
  inFile('lms.json', asJson, false),
  inFile('lms.json', asJson, true),
  {
    name: 'a program',
    takes: ({ area, only }) => area !== undefined && only !== 'command',
    texts: false,
    named: ({ path }) => `\`${path}\``,
  },
]

const SITE: Nested = { site: { url: 'https://lms.example.org' } }

/** Options of a program: they need a site. */
const inProgram = (entry: Entry, value: unknown): object =>
  withOption({ ...besideOf(entry), site: { ...SITE.site, ...besideOf(entry).site } }, entry, value)

/** Flags without which arguments of a command have no effect. */
const NEEDED_FLAGS: Readonly<Record<string, readonly string[]>> = {
  force: ['--write=x.yaml'],
  headersFile: ['--url=https://example.org/graphql'],
  usage: ['--against=released.graphql'],
}

/** What is read, or the complaints. */
function read(reader: Reader, entry: Entry, value: unknown, files: Readonly<Record<string, string>> = {}): Read {
  const { argv, env, file } = reader
  const { commands, fills } = entry
  const wanted = fills === undefined ? entry : entryAt(fills)
  const command = commands[0] as string
  try {
    if (!argv && !env && !file) return { value: valueAt({ options: programOf(inProgram(entry, value)) }, wanted) }
    const beside = { ...variablesOf(command === 'doctor' ? SITE : {}), ...variablesOf(besideOf(entry)) }
    const more = NEEDED_FLAGS[entry.path] ?? []
    const [path, write] = file ?? []
    const result = optionsOf(
      [command, ...more, ...(argv?.(entry, value as string) ?? []), ...(path === undefined ? [] : ['--config', path])],
      { ...beside, ...env?.(entry, value as string) },
      { ...files, ...(path !== undefined && { [path]: write?.(withOption({}, entry, value)) as string }) },
    )
    return { value: valueAt(result, wanted) }
  } catch (error) {
    return { complaints: (error as { readonly complaints: readonly string[] }).complaints }
  }
}

const readersOf = (entry: Entry): readonly Reader[] => READERS.filter(({ takes }) => takes(entry))

const byPath = (entries: readonly Entry[]) => entries.map((entry) => [entry.path, entry] as const)

describe('every reader', () => {
  it('has every option, except those of programs, of single commands, secrets, and other long texts', () => {
    const without = (name: string) =>
      VALUED.filter((entry) => !readersOf(entry).some((reader) => reader.name === name)).map(({ path }) => path)
    const ofCommand = VALUED.filter(({ only }) => only === 'command').map(({ path }) => path)
    const ofOne = VALUED.filter(({ area }) => area === undefined).map(({ path }) => path)
    expect(without('a flag')).toEqual(VALUED.filter(({ inFile, path }) => inFile || path === 'http.path').map(({ path }) => path))
    for (const name of ['a variable', 'lms.yaml', 'lms.json']) expect(without(name)).toEqual(['http.path', ...ofOne])
    expect(without('a program')).toEqual([...ofCommand, ...ofOne])
    expect(ofCommand.filter((path) => !path.startsWith('lms.'))).toEqual(['observe.logLevel', 'observe.logFormat'])
  })

  it.each(byPath(VALUED))('reads the same value of %s', (_, entry) => {
    for (const { value, text } of goodOf(entry))
      for (const reader of readersOf(entry))
        expect([reader.name, read(reader, entry, reader.texts ? text : value)]).toEqual([reader.name, { value }])
  })

  it.each(byPath(ENTRIES.filter(({ fills }) => fills !== undefined)))('reads the text from the file at %s', (_, entry) => {
    for (const { value } of goodOf(entryAt(entry.fills as string))) {
      const files = { 'x.txt': `${[value].flat().join('\n')}\n` }
      // Programs read real files.
      for (const reader of readersOf(entry))
        if (reader.name !== 'a program') expect([reader.name, read(reader, entry, 'x.txt', files)]).toEqual([reader.name, { value }])
    }
  })

  it.each(byPath(VALUED))('says in one sentence what is allowed instead of a wrong %s', (_, entry) => {
    const { hidden, explains } = entry
    for (const reader of readersOf(entry))
      for (const wrong of reader.texts ? wrongTextsOf(entry) : wrongValuesOf(entry)) {
        const result = read(reader, entry, wrong)
        const where = `${reader.name}: ${JSON.stringify(wrong)} is ${JSON.stringify(result)}`
        const complaints = 'complaints' in result ? result.complaints : []
        expect(complaints, where).toHaveLength(1)
        const [complaint = ''] = complaints
        expect(complaint.startsWith(reader.named(entry)), where).toBe(true)
        if (explains && /: There is no switch /.test(complaint)) continue
        const isText = reader.texts || (reader.file !== undefined && typeof wrong === 'string')
        expect(complaint, where).toContain(`; it must be ${allowedAs(isText ? 'text' : 'value', entry)}`)
        expect(complaint, where).toMatch(/\.$|\?$/)
        if (hidden && typeof wrong === 'string') expect(complaint, where).not.toContain(wrong)
      }
  })

  it.each(byPath(VALUED.filter(({ flag }) => flag !== undefined)))(
    'reports an empty flag of %s, and ignores an empty variable',
    (_, entry) => {
      const { commands, flag, env } = entry
      const argv = [commands[0] as string, ...(commands[0] === 'doctor' && flag !== 'upstream' ? ['--upstream=https://example.org'] : [])]
      const beside = variablesOf(besideOf(entry))
      const [complaint, ...others] = complaintsOf([...argv, `--${flag}=`, ...(NEEDED_FLAGS[entry.path] ?? [])], beside)
      expect(complaint).toBe(`\`--${flag}\` has no value; it must be ${allowedAs('text', entry)}.`)
      expect(others).toEqual([])
      if (env !== undefined) expect(valueAt(optionsOf(argv, { [env]: '' }), entry)).toEqual(valueAt(optionsOf(argv), entry))
    },
  )

  it.each(byPath(VALUED.filter(({ area, flag }) => area !== undefined && flag !== undefined)))(
    'prefers the flag of %s to its variable, and that to the file',
    (_, entry) => {
      const { commands, flag, env } = entry
      const good = goodOf(entry).map(({ text }) => text)
      const texts = [good[0], good.at(-1), good[0]] as [string, string, string]
      const files = { 'lms.json': asJson(withOption({}, entry, texts[2])) }
      const argv = [commands[0] as string, '--config=lms.json']
      const beside = variablesOf(besideOf(entry))
      const given = [`--${flag}=${texts[0]}`]
      const values = [
        optionsOf([...argv, ...given], { ...beside, [env as string]: texts[1] }, files),
        optionsOf(argv, { ...beside, [env as string]: texts[1] }, files),
        optionsOf(argv, beside, files),
      ].map((options) => [valueAt(options, entry), options.named(entry.path)])
      const [first, last] = [goodOf(entry)[0]?.value, goodOf(entry).at(-1)?.value]
      expect(values).toEqual([
        [first, `\`--${flag}\``],
        [last, `\`${env}\``],
        [first, expect.stringContaining(`\`${entry.path}\` (lms.json, line `)],
      ])
    },
  )
})

describe('a program', () => {
  it.each(byPath(ENTRIES.filter(({ only }) => only !== undefined)))('is told where %s is an option', (_, entry) => {
    const { value } = goodOf(entry)[0] as { value: unknown }
    const complaints = programComplaints(inProgram(entry, value), false)
    if (entry.only === 'program') expect(complaints).toEqual([])
    else
      expect(complaints).toEqual([
        entry.only === 'server'
          ? `\`${entry.path}\` is an option of \`startGateway\` and of the command, not of \`createGateway\`.`
          : `\`${entry.path}\` is an option of the command, not of programs.`,
      ])
  })

  it('is told when a value is only the text of one', () => {
    const program = { ...SITE, limits: { maxRows: '3' }, http: { graphiql: 'false', corsOrigins: '*' } }
    expect(programComplaints(program)).toEqual([
      '`limits.maxRows` is the text `3`; it must be a whole number from 1 to 10000.',
      '`http.corsOrigins` is the text `*`; it must be a list of origins such as https://app.example.org, or `*` for all of them.',
      '`http.graphiql` is the text `false`; it must be true or false.',
    ])
  })
})
