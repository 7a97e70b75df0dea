import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { supergraphOf } from '../../src/federation/supergraph.js'
import { graphSchema } from '../../src/index.js'
import { Command } from '../support/command.js'

const LOOPBACK = 'http://127.0.0.1:4000/graphql'
const committed = readFileSync(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8')

const run = (argv: readonly string[]) => new Command(['supergraph', ...argv]).ended

describe('lms-graphql supergraph', () => {
  it('prints the committed supergraph for the loopback address', async () => {
    const { code, stdout, stderr } = await run(['--url', LOOPBACK])
    expect([code, stderr, stdout === committed]).toEqual([0, '', true])
  })

  it('differs for another address in nothing else', async () => {
    const url = 'https://lms.example.org/api/lms'
    const { code, stdout } = await run(['--url', url])
    expect([code, stdout === committed.replaceAll(LOOPBACK, url)]).toEqual([0, true])
    expect(stdout).toContain(`LMS @join__graph(name: "lms", url: "${url}")`)
  })

  it('has the key of users', async () => {
    const { code, stdout } = await run(['--url', LOOPBACK, '--subgraph-users', 'lmsId:Int'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^type User\b[^{]*@join__type\(graph: LMS, key: "lmsId"\)[^{]*\{[^}]*\blmsId: Int!/m)
    expect(stdout).toBe(`${supergraphOf(graphSchema(), { url: LOOPBACK, users: 'lmsId:Int' })}\n`)
  })

  it.each([
    [[], '`supergraph` needs the address at which routers reach the gateway: set `--url`.'],
    [
      ['--url', 'lms.example.org'],
      '`--url` is `lms.example.org`; it must be an http or https address without user and password. Did you mean `https://lms.example.org`?',
    ],
    [
      ['--url', 'https://me:secret@lms.example.org/'],
      '`--url` is `https://…@lms.example.org/`; it must be an http or https address without user and password.',
    ],
    [
      ['--url', LOOPBACK, '--subgraph-users', 'no key'],
      '`--subgraph-users` is `no key`; it must be `here`, or the name of a field, and its type if it is not ID: `id`, `lmsId:Int` or `lmsId:String`.',
    ],
    [['--url', LOOPBACK, '--port', '1'], '`--port` is a flag of `serve` and `lms`, not of `supergraph`.'],
  ])('refuses %j with exit code 2', async (argv, complaint) => {
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr: `lms-graphql: ${complaint}\n` })
  })

  it.each([
    [
      ['--subgraph-inaccessible', 'Course.metas'],
      '`--subgraph-inaccessible` has `Course.metas`, but the subgraph has no such type, field, argument or value; did you mean `Course.meta`?',
    ],
    [['--http-max-age', 'Post=60'], '`--http-max-age` has `Post`, but the subgraph has no such object type.'],
    [['--subgraph-users', 'progressIn'], '`--subgraph-users` must not be `progressIn`: a relation has this name.'],
  ])('refuses %j in each command, with exit code 2', async (flags, complaint) => {
    const wrong = { code: 2, stdout: '', stderr: `lms-graphql: ${complaint}\n` }
    for (const argv of [
      ['supergraph', '--url', LOOPBACK],
      ['schema', '--subgraph'],
      ['--subgraph', '--port', '0'],
    ])
      expect(await new Command([...argv, ...flags]).ended).toEqual(wrong)
  })
})
