import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readProgram } from '../../src/options/program.js'
import { readOptions } from '../../src/options/read.js'
import { writeSettingsFile } from '../../src/options/settings-file.js'

it('a settings file that was written means the same to the command and to a program that parses it', () => {
  const site = { url: 'https://example.org/wp-json', fieldFilter: null, unbatched: [], segments: { groups: 'teams' }, timeZone: 'Europe/Berlin' }
  const text = writeSettingsFile({ site, protection: { maxInFlight: 2 } })
  const command = readOptions(['--config', 'lms.yaml'], {}, () => text)
  const program = readProgram(parse(text), { others: [], isServer: true })
  for (const read of [command, program]) expect(read).toMatchObject({ options: { site, protection: { maxInFlight: 2 } } })
})
