import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describesHost } from './checks.js'
import { HeldSite, onNode } from './host.js'

describe('node:http', () => describesHost({ command: onNode('docs/examples/hosts/node-http.ts'), path: '/graphql' }))

describe('Hono', () => describesHost({ command: onNode('docs/examples/hosts/hono.ts'), path: '/api/lms' }))

describe('a route handler of Next.js', () => describesHost({ command: onNode('hosts/next-server.ts'), path: '/api/lms' }))

describe('`startGateway`', () => describesHost({ command: onNode('docs/examples/hosts/start.ts'), path: '/graphql' }))

describe('a program without a server', () => {
  let site: HeldSite
  beforeAll(async () => {
    site = await HeldSite.start()
  })
  afterAll(() => site.close())

  it.each([
    ['direct.ts', /^\{ data: \{ courses: \{ totalCount: \d+ \} \} \}\n$/],
    ['settings-file.ts', /^\{"data":\{"priceTypes":\[\{"name":"[^"]+"\}.*\n$/],
    ['logging.ts', /^200 \/lms\/v2\/price-types\?\S*\nPrices: ok, 1 REST calls, \d+ ms\n\{"data":\{"priceTypes":\[\{"slug":.*\n$/],
  ])('%s prints what it promises, and ends by itself', async (name, printed) => {
    const [program, ...argv] = onNode(`docs/examples/hosts/${name}`)
    const { PATH } = process.env
    const settings = join(mkdtempSync(join(tmpdir(), 'lms-graphql-')), 'lms.yaml')
    writeFileSync(settings, `site:\n  url: ${site.site.url}\n`)
    const env = { PATH, LMS_URL: site.site.url, SETTINGS: settings }
    const { stdout, stderr } = await promisify(execFile)(program, argv, { env, timeout: 60_000 })
    rmSync(dirname(settings), { recursive: true })
    expect([stdout, stderr]).toEqual([expect.stringMatching(printed), ''])
  })
})
