import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { STATES } from '../../src/doctor/finding.js'
import { DOCTOR_FLAGS } from '../../src/settings/doctor-flags.js'

const section =
  readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    .split(/^### The doctor$/m)[1]
    ?.split(/^#+ /m)[0] ?? ''
const rows = section.split('\n').flatMap((line) => /^\| `(.*?)` \| (.*) \|$/.exec(line)?.slice(1, 3).join(': ') ?? [])

it('the README lists every flag and every state of the doctor', () => {
  const flags = Object.entries(DOCTOR_FLAGS).map(([name, { value, description }]) => `--${name}${value ? ` ${value}` : ''}: ${description}`)
  expect(rows.filter((row) => row.startsWith('--'))).toEqual(flags)
  expect(rows.filter((row) => !row.startsWith('--')).map((row) => row.split(':')[0])).toEqual([...STATES])
})
