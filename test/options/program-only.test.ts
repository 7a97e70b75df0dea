import { expect, it } from 'vitest'
import { readOptions } from '../../src/options/read.js'

// The path of the endpoint is an option of programs. Its name would be that of the variable `PATH`, which every shell has.

it('the variable PATH of the shell does not change the path of the endpoint', () => {
  expect(readOptions([], { PATH: '/usr/bin' })).toMatchObject({ kind: 'options', options: { http: { path: undefined } }, warnings: [] })
  expect(readOptions(['config'], { PATH: '/usr/bin' })).toMatchObject({ kind: 'options', options: { http: { path: undefined } } })
})

it('the path of the endpoint has no flag', () => {
  expect(readOptions(['--path', '/api'], {})).toMatchObject({
    kind: 'complaints',
    complaints: [expect.stringContaining('`--path` is not a flag')],
  })
})

it('the path of the endpoint is no key of a settings file', () => {
  const result = readOptions(['--config', 'lms.yaml'], {}, () => 'http:\n  path: /api\n')
  expect(result).toMatchObject({
    kind: 'complaints',
    complaints: [expect.stringMatching(/^`http\.path` \(lms\.yaml, line 2\) is not an option\. Known here: port, host, /)],
  })
})
