import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PROFILE_NAMES, SWITCHES, type SwitchName, switchesOf } from '../../src/lms/profile/switches.js'

const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[]

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
    const tests = [
      'names',
      'lists',
      'records',
      'progress',
      'access',
      'writes',
      'faults',
      'topics',
      'steps',
      'enrolments',
      'course-steps',
      'questions',
    ].map((file) => readFileSync(new URL(`profile-${file}.test.ts`, import.meta.url), 'utf8'))
    const named = (name: string): boolean => tests.some((text) => new RegExp(`\\b${name}\\b`).test(text))
    expect(SWITCH_NAMES.filter((name) => !named(name))).toEqual([])
  })
})

const isFault = (name: SwitchName): boolean => SWITCHES[name].default === null && name !== 'latency'
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.keys(value).length
