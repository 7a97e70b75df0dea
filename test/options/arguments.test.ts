import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/settings/config.js'
import { DOCTOR_FLAGS } from '../../src/settings/doctor-flags.js'
import { helpText } from '../../src/settings/help.js'
import { COMMANDS, type Setting } from '../../src/settings/setting.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { TABLE } from './settings-table.js'
import { complaintsOf, configOf } from './setup.js'

describe('the command line', () => {
  it('reports all complaints at once', () => {
    const argv = ['--port', 'x', '--max-rows=0', '--wrong', '-q', 'serve', 'again', '--timeout']
    const complaints = complaintsOf(argv, { MAX_IN_FLIGHT: '9999', HOST: 'a b' })
    const about = complaints.map((complaint) => /`([^`]*)`/.exec(complaint)?.[1])
    expect(about.sort()).toEqual(['--max-rows', '--port', '--timeout', '--wrong', '-q', 'HOST', 'MAX_IN_FLIGHT', 'again'].sort())
  })

  it.each(['--frobnicate', '--toString', '--constructor', '--__proto__', '-x', '--no-port'])('refuses the unknown flag %s', (flag) => {
    expect(complaintsOf([flag])).toEqual([`\`${flag}\` is not a flag; \`--help\` lists them.`])
  })

  it('refuses unknown commands and unexpected words', () => {
    expect(complaintsOf(['start'])).toEqual([`\`start\` is not a command. Commands are ${COMMANDS.join(', ')}.`])
    expect(complaintsOf(['serve', 'lms', 'schema'])).toHaveLength(2)
  })

  it.each([
    [['--prot', '1'], '`--prot` is not a flag; did you mean `--port`?'],
    [['--Port', '1'], '`--Port` is not a flag; did you mean `--port`?'],
    [['--upsteam=https://example.org'], '`--upsteam` is not a flag; did you mean `--upstream`?'],
    [['lms', '--upsteam=https://example.org'], '`--upsteam` is not a flag; `--help` lists them.'],
    [['docter'], '`docter` is not a command; did you mean `doctor`?'],
    [['serve', '--write', 'x'], '`--write` is a flag of `doctor`, not of `serve`.'],
    [['lms', '--max-rows', '5'], '`--max-rows` is a flag of `serve`, not of `lms`.'],
    [['schema', '--port', '5'], '`--port` is a flag of `serve` and `lms`, not of `schema`.'],
    [
      ['--lms-password', 's3cret'],
      '`--lms-password` is not a flag; lists of processes show command lines. Set `LMS_PASSWORD`, or `--lms-password-file`.',
    ],
    [['--upstream', 'example.org'], / Did you mean `https:\/\/example\.org`\?$/],
    [['--upstream', 'localhost:4001/wp-json'], / Did you mean `http:\/\/localhost:4001\/wp-json`\?$/],
    [['--upstream', 'user:pass@example.org'], /`\?rest_route=`\.$/],
  ] as [string[], string | RegExp][])('says what was probably meant by %j', (argv, complaint) => {
    const complaints = complaintsOf(argv)
    expect(complaints).toHaveLength(1)
    if (typeof complaint === 'string') expect(complaints).toEqual([complaint])
    else expect(complaints[0]).toMatch(complaint)
  })

  it('reports a missing value before a following flag', () => {
    expect(complaintsOf(['--host', '--open'])).toEqual(['`--host` is without a value; it must be a host name or address.'])
    expect(complaintsOf(['--port', '--open=false']).join()).toContain('`--port` is without a value')
  })

  it.each([
    [
      ['--upstream', 'https://example.org', '--profile', 'learndash'],
      '`--profile` has no effect with `--upstream`: it is for the embedded LMS; drop one of them.',
    ],
    [
      ['--upstream', 'https://example.org', '--switch', 'workers=2'],
      '`--switch` has no effect with `--upstream`: it is for the embedded LMS; drop one of them.',
    ],
  ])('refuses settings of the embedded LMS beside a site: %j', (argv, complaint) => {
    expect(complaintsOf(argv)).toEqual([complaint])
  })
})

describe('flags of booleans', () => {
  const booleans = Object.entries<Setting>(SETTINGS).filter(([, { holds }]) => holds === 'boolean')
  it.each(booleans)('are alike: %s', (name, { flag, commands }) => {
    const value = (...argv: string[]) => {
      const key = name as keyof typeof SETTINGS
      return configOf([commands[0] as string, ...argv], TABLE[key].beside)[key]
    }
    expect([value(`--${flag}`), value(`--${flag}`, 'true'), value(`--${flag}=true`)]).toEqual([true, true, true])
    expect([value(`--${flag}`, 'false'), value(`--${flag}=false`)]).toEqual([false, false])
    expect(complaintsOf([commands[0] as string, `--${flag}=yes`])[0]).toBe(`\`--${flag}\` is \`yes\`; it must be true or false.`)
  })

  it('never take the next flag or another word as their value', () => {
    expect(configOf(['--graphiql', '--port', '4109'])).toMatchObject({ graphiql: true, port: 4109 })
    expect(configOf(['--introspection', '--open', 'false', '--metrics'])).toMatchObject({ introspection: true, open: false, metrics: true })
    expect(configOf(['--open', 'serve'])).toMatchObject({ open: true, command: 'serve' })
    expect(configOf(['lms', '--control', 'true', '--control', 'false'])).toMatchObject({ control: false })
    expect(complaintsOf(['--open', '--', 'true'])).toEqual([
      '`true` is not a command. Commands are serve, lms, schema, supergraph, doctor.',
    ])
  })

  it('are the same for the doctor', () => {
    const argv = ['doctor', '--upstream', 'https://example.org', '--json', 'false', '--write', 'a.yaml', '--force', 'true']
    const { doctor } = configOf(argv)
    expect(doctor).toMatchObject({ json: false, write: 'a.yaml', force: true })
  })

  it('gives --help and --version precedence', () => {
    for (const flag of ['--help', '-h']) {
      expect(readConfig([flag, '--port', 'x'], {})).toEqual({ kind: 'help' })
      expect(readConfig(['lms', flag, '--port', 'x'], {})).toEqual({ kind: 'help', command: 'lms' })
      expect(readConfig(['start', flag], {})).toEqual({ kind: 'help' })
    }
    for (const flag of ['--version', '-v']) expect(readConfig([flag, '--wrong'], {})).toEqual({ kind: 'version' })
  })
})

describe('helpText', () => {
  it('lists every setting: flag, variable and default', () => {
    for (const { flag, env, otherwise } of Object.values<Setting>(SETTINGS)) {
      const line = helpText()
        .split('\n')
        .find((each) => each.trimStart().startsWith(flag === undefined ? `${env} ` : `--${flag} `))
      expect(line).toContain(`${flag === undefined ? 'environment only' : env}; default: ${otherwise}`)
    }
  })

  it.each(COMMANDS)('of %s lists the flags of that command only', (command) => {
    const flags = [...helpText(command).matchAll(/^ {2}--([\w-]+)/gm)].map(([, flag]) => flag)
    const own = Object.values<Setting>(SETTINGS).filter(({ flag, commands }) => flag !== undefined && commands.includes(command))
    expect(flags).toEqual([...own.map(({ flag }) => flag), ...(command === 'doctor' ? Object.keys(DOCTOR_FLAGS) : [])])
    expect(helpText(command).match(/^(Usage:)? +lms-graphql /gm)).toHaveLength(1)
  })

  it('shows that the value of a boolean is optional', () => {
    expect(helpText()).toMatch(/^ {2}--open \[BOOLEAN\] /m)
    expect(helpText()).toMatch(/^ {2}--graphiql \[BOOLEAN\] /m)
    expect(helpText('doctor')).toMatch(/^ {2}--json \[BOOLEAN\] /m)
  })
})
