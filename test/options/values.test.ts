import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/settings/config.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { commandOf, flagged, rows, TABLE } from './settings-table.js'
import { bare, complaintsOf, configOf, readFile } from './setup.js'

describe('settings', () => {
  it('are exactly those of the table', () => {
    expect(Object.keys(SETTINGS).sort()).toEqual(Object.keys(TABLE).sort())
    expect(configOf([])).toEqual({ command: 'serve', ...Object.fromEntries(rows.map(([name, { otherwise }]) => [name, otherwise])) })
  })

  it.each(rows)('%s comes from its variable', (name, { env, good, beside, commands }) => {
    for (const [text, value] of good) expect(bare(configOf(commandOf({ commands }), { ...beside, [env]: text })[name])).toEqual(value)
  })

  it.each(flagged)('%s comes from its flag too, which takes precedence', (name, { flag, env, good, beside, commands }) => {
    const command = commandOf({ commands })
    for (const [text, value] of good) {
      expect(configOf([...command, flag, text], beside)[name]).toEqual(value)
      expect(configOf([...command, `${flag}=${text}`], beside)[name]).toEqual(value)
    }
    const [given, wanted] = good.at(-1)!
    expect(configOf([...command, `${flag}=${given}`], { ...beside, [env]: good[0]![0] })[name]).toEqual(wanted)
    expect(configOf([...command, `${flag}=${given}`], { ...beside, [env]: 'not looked at: ?' })[name]).toEqual(wanted)
  })

  it.each(rows)('%s ignores an empty variable', (name, { env, otherwise }) => {
    expect(configOf([], { [env]: '' })[name]).toEqual(otherwise)
  })

  it.each(flagged)('%s rejects an empty flag', (_, { flag, allowed, hidden, beside, commands }) => {
    expect(complaintsOf([...commandOf({ commands }), `${flag}=`], beside)).toEqual([
      `\`${flag}\` ${hidden ? 'is wrong;' : 'is ``;'} it must be ${allowed}.`,
    ])
  })

  it.each(rows)(
    '%s refuses bad values, naming flag or variable and what is allowed',
    (_, { flag, env, bad, allowed, hidden, beside, commands }) => {
      const command = commandOf({ commands })
      for (const value of bad) {
        const cases = [[complaintsOf(command, { ...beside, [env]: value }), env] as const]
        if (flag !== undefined) cases.push([complaintsOf([...command, `${flag}=${value}`], beside), flag])
        for (const [complaints, name] of cases) {
          expect(complaints).toHaveLength(1)
          expect(complaints[0]).toMatch(new RegExp(`^\`${name}\` is `))
          expect(complaints[0]).toContain(` it must be ${allowed}.`)
          if (hidden) expect(complaints[0]).not.toContain(value)
          else if (!value.includes('@') && !value.includes('?')) expect(complaints[0]).toContain(`\`${value}\``)
        }
      }
    },
  )

  it.each(flagged)('%s reports a missing value, or a value of a switch', (name, { flag, allowed, beside, commands }) => {
    const command = commandOf({ commands })
    if ('value' in SETTINGS[name])
      expect(complaintsOf([...command, flag], beside)).toEqual([`\`${flag}\` is without a value; it must be ${allowed}.`])
    else expect(configOf([...command, flag], beside)[name]).toBe(true)
  })

  it.each(flagged)('%s belongs to its own commands only', (_, { flag, good, commands, beside }) => {
    for (const command of ['serve', 'lms', 'schema']) {
      const result = readConfig([command, `${flag}=${good[0]![0]}`], { ...beside }, readFile)
      if (commands.includes(command)) expect(result.kind).toBe('config')
      else
        expect(result).toEqual({
          kind: 'complaints',
          complaints: [expect.stringMatching(new RegExp(`^\`${flag}\` is a flag of .*\`${commands[0]}\`.*, not of \`${command}\`\\.$`))],
        })
    }
  })

  it('ignores variables of other commands', () => {
    expect(
      configOf(['lms'], { LMS_USER: 'admin', LMS_PASSWORD_FILE: 'missing', JWT_KEY: 'short', GATEWAY_API_KEYS: 'short' }).lmsUser,
    ).toBe(null)
  })

  it('listens on 4001 for the LMS alone by default', () => {
    expect(configOf(['lms']).port).toBe(4001)
    expect(configOf(['lms', '--port', '0']).port).toBe(0)
    expect(configOf(['lms'], { PORT: '' }).port).toBe(4001)
    expect(configOf(['lms'], { PORT: '5000' }).port).toBe(5000)
  })

  it('is frozen', () => {
    const config = configOf([])
    expect(Object.isFrozen(config)).toBe(true)
  })
})
