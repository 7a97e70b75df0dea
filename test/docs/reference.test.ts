import { readFileSync } from 'node:fs'
import { isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { DOCS, pageFiles } from '../../docs/.vitepress/pages.js'
import { optionTypes } from '../../docs/.vitepress/reference/option-types.js'
import { referencePages } from '../../docs/.vitepress/reference/pages.js'
import { STATES } from '../../src/doctor/finding.js'
import { graphSchema } from '../../src/index.js'
import { DEMO_USERS } from '../../src/lms/index.js'
import { PROFILE_NAMES, SWITCHES, type SwitchName, switchesOf } from '../../src/lms/profile/switches.js'
import { allowedAs } from '../../src/options/complaints.js'
import { defaultText, flagText } from '../../src/options/help.js'
import { ARGUMENT_ENTRIES, ENTRIES, SETTINGS_FILE } from '../../src/options/table.js'
import { ERROR_CODES, FIELD_CODES } from '../../src/upstream/error-codes.js'
import { parsePage } from './page.js'

const PAGES = referencePages()
const STALE = 'The reference is stale: run `npm run docs:reference`.'

describe('the reference', () => {
  it('is what the code says', () => {
    const written = pageFiles().filter((page) => page.startsWith('reference/'))
    expect(written, STALE).toEqual(Object.keys(PAGES).sort())
    const stale = written.filter((page) => readFileSync(`${DOCS}${page}`, 'utf8') !== PAGES[page])
    expect(stale, STALE).toEqual([])
    expect(readFileSync(`${DOCS}../src/options/given.ts`, 'utf8') === optionTypes(), STALE).toBe(true)
  })

  /** Texts of the headings of a level. */
  const headings = (page: string, level: number): string[] =>
    parsePage(page, PAGES[page] as string)
      .headings.filter((heading) => heading.level === level)
      .map(({ text }) => text)

  it('has an entry for every option, with its names, default, values and description, and not many', () => {
    const text = PAGES['reference/settings.md'] as string
    const entries = [SETTINGS_FILE, ...ENTRIES.filter(({ fills }) => fills === undefined)]
    expect(headings('reference/settings.md', 3)).toHaveLength(entries.length)
    expect(entries.length).toBeLessThanOrEqual(106)
    for (const entry of entries) {
      const { flag, env, path, area, description, commands, secret } = entry
      const heading = flag ?? env?.toLowerCase().replaceAll('_', '-') ?? path
      const [own = ''] = (text.split(`\n### ${heading}\n`)[1] ?? '').split('\n#')
      const names = [
        ...(flag === undefined ? [] : [`\`${flagText(entry)}\``]),
        ...(env === undefined ? [] : [`\`${env}\``]),
        ...(area === undefined ? [] : [`\`${path}\``]),
        ...(secret ? [`\`--${heading}-file FILE\``, `\`${env}_FILE\``, `\`${path}File\``] : []),
      ]
      for (const each of [...names, defaultText(entry), allowedAs('text', entry), description, ...commands])
        expect(own, path).toContain(each)
    }
  })

  it('has every argument of single commands, and every state of the doctor', () => {
    const text = PAGES['reference/settings.md'] as string
    for (const entry of ARGUMENT_ENTRIES) {
      const [, own = ''] = text.split(`\nArguments of \`${entry.commands[0]}\`:\n`)
      expect(own).toContain(`- \`${flagText(entry)}\`: ${entry.description} Allowed: ${entry.allowed}.\n`)
    }
    const [, doctor = ''] = text.split('\n## The doctor\n')
    expect([...doctor.matchAll(/^- `(\w+)`: /gm)].map(([, state]) => state)).toEqual([...STATES])
  })

  it('has an entry for every error code, every code of a field and every switch, and the demo users', () => {
    expect(headings('reference/errors.md', 3)).toEqual(ERROR_CODES.map(({ code }) => code))
    for (const [code, { description }] of Object.entries(FIELD_CODES))
      expect(PAGES['reference/errors.md']).toContain(`- \`${code}\`: ${description}`)
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
