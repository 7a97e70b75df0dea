import { describe, expect, it } from 'vitest'
import { effectiveText } from '../../src/options/effective.js'
import { flagText, helpText, TITLES } from '../../src/options/help.js'
import { COMMANDS } from '../../src/options/option.js'
import { readOptions } from '../../src/options/read.js'
import { ARGUMENT_ENTRIES, ENTRIES, entryAt, SETTINGS_FILE } from '../../src/options/table.js'
import { goodOf, variablesOf, withOption } from './samples.js'
import { complaintsOf, optionsOf } from './setup.js'

const TITLE_LINES = Object.values(TITLES).map((title) => `${title}:`)

describe('--help', () => {
  it('fits a screen, grouped by area, the site first', () => {
    const lines = helpText(undefined, false).split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(lines.filter((line) => line.length > 100)).toEqual([])
    const titles = lines.filter((line) => TITLE_LINES.includes(line))
    expect(titles[0]).toBe('The site:')
    expect(titles).toEqual(TITLE_LINES.filter((title) => titles.includes(title)))
    for (const command of COMMANDS) expect(lines.join('\n')).toMatch(new RegExp(`lms-graphql (\\[${command}\\]|${command} )`))
    expect(lines.at(-2)).toMatch(/--help \[all\] .*the whole list/)
  })

  it('lists every option with `all`, with its flag or variable and its default', () => {
    const lines = helpText(undefined, true).split('\n')
    expect(lines.filter((line) => TITLE_LINES.includes(line))).toEqual(TITLE_LINES)
    for (const entry of [...ENTRIES, SETTINGS_FILE].filter(({ commands }) => commands.includes('serve'))) {
      const { flag, env, description } = entry
      const line = lines.find((each) => each.startsWith(`  ${flag === undefined ? env : flagText(entry)} `))
      expect(line, entry.path).toContain(`${description} (${flag === undefined ? 'environment only' : env}; default: `)
    }
  })

  it.each(COMMANDS)('of `%s` lists its flags only', (command) => {
    const flags = [...helpText(command, true).matchAll(/^ {2}--([\w-]+)/gm)].map(([, flag]) => flag)
    const of = [command, ...(command === 'config' || command === 'check' ? ['serve' as const] : [])]
    const own = [...ENTRIES, ...ARGUMENT_ENTRIES, SETTINGS_FILE].filter(
      ({ flag, commands }) => flag !== undefined && commands.some((each) => of.includes(each)),
    )
    expect(flags).toEqual(own.map(({ flag }) => flag))
    expect(helpText(command, true).match(/^(Usage:)? +lms-graphql /gm)).toHaveLength(1)
  })

  it('takes precedence over mistakes, as `--version` does', () => {
    for (const flag of ['--help', '-h']) {
      expect(readOptions([flag, '--port', 'x'], {})).toEqual({ kind: 'help', isWhole: false })
      expect(readOptions(['lms', flag, 'all', '--port', 'x'], {})).toEqual({ kind: 'help', command: 'lms', isWhole: true })
      expect(readOptions(['start', flag], {})).toEqual({ kind: 'help', isWhole: false })
    }
    for (const flag of ['--version', '-v']) expect(readOptions([flag, '--wrong'], {})).toEqual({ kind: 'version' })
    expect(readOptions(['--versions', '--wrong'], {})).toEqual({ kind: 'versions' })
  })
})

describe('lms-graphql config', () => {
  const settable = ENTRIES.filter(({ commands, fills }) => commands.includes('serve') && fills === undefined)
  /** Contradict the others. */
  const left = [
    'lms.data',
    'lms.scale',
    'lms.inProduction',
    'lms.profile',
    'lms.switches',
    'lms.control',
    'access.jwtJwksUrl',
    'site.forwardCookie',
  ]
  const all = settable
    .filter(({ path }) => !left.includes(path))
    .reduce((options, entry) => withOption(options, entry, goodOf(entry)[0]?.value), {})

  it('prints every option with its value and what set it, and no secret', () => {
    const { PORT: _, ...variables } = variablesOf(all)
    const given = optionsOf(['config', '--config=etc/x.yaml', '--max-rows=7'], variables, { 'etc/x.yaml': '\n\nhttp: { port: 1 }' })
    const text = effectiveText(given)
    const lines = text.split('\n').map((line) => line.trim())
    for (const { path, name, hidden, env } of settable) {
      const line = lines.find((each) => each.replace(/^# /, '').startsWith(`${name}: `))
      expect(line, path).toBeDefined()
      if (hidden) expect(lines).toContain(`# ${name}: hidden  # ${env}`)
    }
    expect(lines).toContain('port: 1  # http.port (etc/x.yaml, line 3)')
    expect(lines).toContain('maxRows: 7  # --max-rows')
    expect(lines).toContain('url: "https://example.org/wp-json"  # LMS_URL')
    expect(lines).toContain('profile: "lms"  # default')
    const secrets = settable.filter(({ hidden }) => hidden).flatMap((entry) => [goodOf(entry)[0]?.value].flat() as string[])
    expect(secrets.length).toBeGreaterThanOrEqual(9)
    for (const secret of secrets) expect(text).not.toContain(secret)
  })

  it('prints a settings file that reads back as the same options', () => {
    const open = settable.filter(({ hidden }) => !hidden)
    for (const pick of [0, -1]) {
      const given = open
        .filter(({ path }) => !/^(lms|access\.jwt|access\.roles|redis\.cluster)/.test(path))
        .reduce((options, entry) => withOption(options, entry, goodOf(entry).at(pick)?.value), {})
      const { options } = optionsOf(['config'], variablesOf(given))
      const read = optionsOf(
        ['config', '--config=etc/x.yaml'],
        {},
        { 'etc/x.yaml': effectiveText(optionsOf(['config'], variablesOf(given))) },
      )
      // Names of files are whole ones.
      const { operations, ...http } = read.options.http
      expect({ ...read.options, http: { ...http, operations: options.http.operations } }).toEqual(options)
      expect(operations).toBe(`${process.cwd()}/${options.http.operations}`)
    }
    const profile = effectiveText(optionsOf(['config', '--profile=learndash', '--switch=workers=2']))
    expect(optionsOf([], { CONFIG_FILE: 'x.yaml' }, { 'x.yaml': profile }).options.lms).toMatchObject({
      profile: 'learndash',
      switches: ['workers=2'],
    })
    expect(complaintsOf(['config', '--prot=1'])).toEqual(['`--prot` is not a flag; did you mean `--port`?'])
    expect(entryAt('lms.profile').default).toBe('lms')
  })
})
