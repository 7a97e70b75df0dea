import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MAX_CALLS } from '../../src/doctor/limits.js'
import { helpText, readConfig } from '../../src/settings/config.js'
import { COMMANDS, type Setting } from '../../src/settings/setting.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { complaintsOf } from './setup.js'

describe('the command line', () => {
  it('reports all complaints at once', () => {
    const argv = ['--port', 'x', '--max-rows=0', '--wrong', '-q', 'serve', 'again', '--timeout']
    const complaints = complaintsOf(argv, { MAX_IN_FLIGHT: '9999', HOST: 'a b' })
    const about = complaints.map((complaint) => /`([^`]*)`/.exec(complaint)?.[1])
    expect(about.sort()).toEqual(['--max-rows', '--port', '--timeout', '--wrong', '-q', 'HOST', 'MAX_IN_FLIGHT', 'again'].sort())
  })

  it.each(['--frobnicate', '--toString', '--constructor', '--__proto__', '-x', '--Port', '--no-port'])(
    'refuses the unknown flag %s',
    (flag) => {
      expect(complaintsOf([flag])).toEqual([`\`${flag}\` is not a flag; \`--help\` lists them.`])
    },
  )

  it('refuses unknown commands and unexpected words', () => {
    expect(complaintsOf(['start'])).toEqual([`\`start\` is not a command. Commands are ${COMMANDS.join(', ')}.`])
    expect(complaintsOf(['serve', 'lms', 'schema'])).toHaveLength(2)
  })

  it('reports a missing value before a following flag', () => {
    expect(complaintsOf(['--port', '--host']).join()).toContain('`--port` is ')
  })

  it('gives --help and --version precedence', () => {
    for (const flag of ['--help', '-h']) expect(readConfig(['serve', flag, '--port', 'x'], {})).toEqual({ kind: 'help' })
    for (const flag of ['--version', '-v']) expect(readConfig([flag, '--wrong'], {})).toEqual({ kind: 'version' })
  })
})

describe('helpText', () => {
  it('has the number of reads of the doctor, as its documentation', () => {
    const page = readFileSync(new URL('../../docs/wordpress.md', import.meta.url), 'utf8')
    expect(helpText()).toContain(`with at most ${MAX_CALLS} reads`)
    expect(page).toContain(`at most ${MAX_CALLS} REST calls`)
  })

  it('lists every setting: flag, variable and default', () => {
    for (const { flag, env, otherwise } of Object.values<Setting>(SETTINGS)) {
      const line = helpText()
        .split('\n')
        .find((each) => each.trimStart().startsWith(flag === undefined ? `${env} ` : `--${flag} `))
      expect(line).toContain(`${flag === undefined ? 'environment only' : env}; default: ${otherwise}`)
    }
  })
})
