import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PROFILE_NAMES, SWITCHES, type SwitchName, switchesOf } from '../../src/lms/profile/switches.js'

const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[]

const section = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  .split('### Sites that are not as specified')[1]!
  .split('\n## ')[0]!

/** A value in the format of the table. Empty for a switch that is off. */
const shown = (value: unknown): string => (value === true ? 'yes' : value ? `\`${value}\`` : value === 0 ? '`0`' : '')

describe('the table of switches in the README', () => {
  it('has the switches, values and purposes of the code', () => {
    const [head, , ...rows] = section.split('\n').filter((line) => line.startsWith('| '))
    const cells = (line: string): string[] =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    expect(cells(head!).slice(1, -1)).toEqual(PROFILE_NAMES.map((name) => `\`${name}\``))
    expect(rows.map(cells)).toEqual(
      SWITCH_NAMES.map((name) => [
        `\`${name}\``,
        ...PROFILE_NAMES.map((profile) => shown(switchesOf(profile)[name])),
        SWITCHES[name].purpose,
      ]),
    )
  })

  it('has examples with switches that exist', () => {
    for (const [, name] of section.matchAll(/--switch (\w+)/g)) expect(SWITCH_NAMES).toContain(name)
  })
})

describe('every switch', () => {
  it('accepts its own values only', () => {
    for (const name of SWITCH_NAMES) {
      const { default: otherwise, read, allowed, purpose } = SWITCHES[name]
      for (const profile of PROFILE_NAMES) expect([name, read(switchesOf(profile)[name])]).toEqual([name, switchesOf(profile)[name]])
      expect([name, read(otherwise)]).toEqual([name, otherwise])
      for (const wrong of [{}, { nothing: 1 }, [], 'no such', -1, Number.NaN, undefined].filter(
        (each) => !(isFault(name) && isEmpty(each)),
      ))
        expect([name, wrong, read(wrong)]).toEqual([name, wrong, undefined])
      expect([allowed, purpose].every((text) => text.length > 3)).toBe(true)
    }
  })

  it('has a test by raw HTTP', () => {
    const tests = ['names', 'lists', 'records', 'progress', 'access', 'writes', 'faults', 'topics'].map((file) =>
      readFileSync(new URL(`profile-${file}.test.ts`, import.meta.url), 'utf8'),
    )
    const named = (name: string): boolean => tests.some((text) => new RegExp(`\\b${name}\\b`).test(text))
    expect(SWITCH_NAMES.filter((name) => !named(name))).toEqual([])
  })
})

const isFault = (name: SwitchName): boolean => SWITCHES[name].default === null && name !== 'latency'
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.keys(value).length
