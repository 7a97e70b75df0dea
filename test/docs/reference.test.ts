import { readFileSync } from 'node:fs'
import { isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { DOCS, pageFiles } from '../../docs/.vitepress/pages.js'
import { referencePages } from '../../docs/.vitepress/reference/pages.js'
import { STATES } from '../../src/doctor/finding.js'
import { graphSchema } from '../../src/index.js'
import { DEMO_USERS } from '../../src/lms/index.js'
import { PROFILE_NAMES, SWITCHES, type SwitchName, switchesOf } from '../../src/lms/profile/switches.js'
import { DOCTOR_FLAGS } from '../../src/settings/doctor-flags.js'
import type { Setting } from '../../src/settings/setting.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { ERROR_CODES } from '../../src/upstream/error-codes.js'
import { parsePage } from './page.js'

const PAGES = referencePages()
const STALE = 'The reference is stale: run `npm run docs:reference`.'

describe('the reference', () => {
  it('is what the code says', () => {
    const written = pageFiles().filter((page) => page.startsWith('reference/'))
    expect(written, STALE).toEqual(Object.keys(PAGES).sort())
    const stale = written.filter((page) => readFileSync(`${DOCS}${page}`, 'utf8') !== PAGES[page])
    expect(stale, STALE).toEqual([])
  })

  /** Texts of the headings of a level. */
  const headings = (page: string, level: number): string[] =>
    parsePage(page, PAGES[page] as string)
      .headings.filter((heading) => heading.level === level)
      .map(({ text }) => text)

  it('has an entry for every setting, with its names, default, values and description', () => {
    const text = PAGES['reference/settings.md'] as string
    const settings = Object.entries(SETTINGS) as [string, Setting][]
    expect(headings('reference/settings.md', 3)).toHaveLength(settings.length)
    for (const [name, { flag, env, otherwise, allowed, description, commands }] of settings) {
      const [, entry = ''] = text.split(`\n### ${flag ?? env.toLowerCase().replaceAll('_', '-')}\n`)
      const [own = ''] = entry.split('\n#')
      const names = [env, ...(flag === undefined ? [] : [`--${flag}`]), ...(name === 'configFile' ? [] : [name])]
      for (const each of [...names, otherwise, allowed, description, ...commands]) expect(own, name).toContain(each)
    }
  })

  it('has every flag and state of the doctor', () => {
    const [, doctor = ''] = (PAGES['reference/settings.md'] as string).split('\n## The doctor\n')
    for (const [name, { description }] of Object.entries(DOCTOR_FLAGS))
      expect(doctor).toMatch(new RegExp(`--${name} (\\w+|\\[BOOLEAN\\])\`: ${description.slice(0, 10)}`))
    expect([...doctor.matchAll(/^- `(\w+)`: /gm)].map(([, state]) => state)).toEqual([...STATES])
  })

  it('has an entry for every error code and every switch, and the demo users', () => {
    expect(headings('reference/errors.md', 3)).toEqual(ERROR_CODES.map(({ code }) => code))
    expect(headings('reference/switches.md', 3)).toEqual(Object.keys(SWITCHES))
    for (const name of Object.keys(SWITCHES) as SwitchName[]) {
      const [, entry = ''] = (PAGES['reference/switches.md'] as string).split(`\n### ${name}\n`)
      const [own = ''] = entry.split('\n#')
      expect(own).toContain(SWITCHES[name].purpose)
      const values = /^- Value: (.*)$/m.exec(own)?.[1] ?? ''
      for (const profile of PROFILE_NAMES) {
        const value = switchesOf(profile)[name]
        const shown = value === true ? 'on' : value || value === 0 ? `\`${value}\`` : 'off'
        const part = values
          .split('; ')
          .find((each) => each.includes(` in every profile`) || each.split(' in ')[1]?.includes(`\`${profile}\``))
        expect(part?.split(' in ')[0], `${name} in ${profile}`).toBe(shown)
      }
    }
    for (const { login, password } of DEMO_USERS) expect(PAGES['reference/switches.md']).toContain(`| \`${login}\` | \`${password}\` |`)
  })

  it('has every type once, and every field of records with its REST column', () => {
    const pages = Object.keys(PAGES).filter((page) => page.startsWith('reference/schema'))
    const types = Object.keys(graphSchema().getTypeMap()).filter((name) => !/^__|^(Int|Float|String|Boolean|ID)$/.test(name))
    const listed = pages.flatMap((page) => headings(page, 2)).filter((name) => !['Lists', 'REST calls', 'All types'].includes(name))
    expect(listed.sort()).toEqual(types.sort())
    const courses = PAGES['reference/schema/courses.md'] as string
    expect(courses).toContain('- **price**: `String` · REST column `course_price`\\\n')
    expect(courses).toContain(
      '- **materials**: [`HTML`](./shared.md#html) · REST column `course_materials`, read only when it is selected\\\n',
    )
  })

  it('has the REST calls of every field with calls', () => {
    const [, calls = ''] = (PAGES['reference/schema.md'] as string).split('\n## REST calls\n')
    const edges = Object.values(graphSchema().getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.endsWith('Success'))
      .flatMap((type) => Object.values(isObjectType(type) ? type.getFields() : {}).map((field) => ({ type, field })))
      .filter(({ field }) => (field.extensions.lms as { edge?: object } | undefined)?.edge)
    expect(edges.length).toBeGreaterThan(30)
    for (const { type, field } of edges)
      expect(calls).toContain(type.name === 'Query' ? `\`${field.name}\`` : `\`${type.name}.${field.name}\``)
  })
})
