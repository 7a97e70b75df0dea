import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Call, createGateway, type Gateway } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { launchChromium, openContext, PATIENCE, WHY_NO_BROWSER } from '../browser/chromium.js'

// The page of docs/front-ends/learner-home.md: home.ts and index.html, built by Vite, and beside it the gateway.

const folder = fileURLToPath(new URL('examples/learner-home/', import.meta.url))
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The files of the page, by path. */
async function files(): Promise<Map<string, { body: string | Uint8Array; type: string }>> {
  const built = await build({
    root: folder,
    logLevel: 'silent',
    configFile: false,
    resolve: { alias: { 'lms-graphql/documents': fileURLToPath(new URL('../../src/documents.ts', import.meta.url)) } },
    build: { write: false },
  })
  const { output } = built as Extract<typeof built, { output: unknown }>
  return new Map(
    output.map((file) => [
      file.fileName === 'index.html' ? '/' : `/${file.fileName}`,
      { body: file.type === 'chunk' ? file.code : file.source, type: file.fileName.endsWith('.js') ? 'text/javascript' : 'text/html' },
    ]),
  )
}

const NAME = `the home of a learner${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 2 * PATIENCE }, () => {
  let lms: RunningLms
  let gateway: Gateway
  let server: Server
  let browser: Browser
  const calls: Call[] = []

  beforeAll(async () => {
    lms = await startLms()
    gateway = createGateway({ site: { url: lms.url, routes: ['users/me'] }, on: { call: (call) => calls.push(call) } })
    const page = await files()
    server = createServer((request, response) => {
      const file = page.get(request.url ?? '')
      if (file) response.setHeader('content-type', file.type).end(file.body)
      else if (request.url === '/graphql') gateway.handle(request, response)
      else response.writeHead(204).end()
    }).listen(0, '127.0.0.1')
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    await gateway?.close()
    await lms?.close()
  })

  it('shows what comes next and what is completed, from one request', async () => {
    const { context, observed } = await openContext(browser)
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) asked.push(request.postData() ?? '')
    })
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.getByLabel('Login').fill('learner')
    await page.getByLabel('Application password').fill('learner-demo')
    calls.length = 0
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('heading', { name: 'Continue' }).waitFor()
    expect(await page.getByText('Welcome').innerText()).toBe('Welcome, Lena Learner.')

    const lists = await page.locator('[role=status] ul').all()
    const [next, completed] = await Promise.all(lists.map((list) => list.locator('li').allInnerTexts()))
    expect(next).toHaveLength(5)
    expect(next?.[0]?.replace(/\s+/g, ' ')).toBe(
      'Algebra & Equations “Hands-On” Workshop 33 % Continue with Lesson 4: Practising Factoring',
    )
    expect(completed).toContain('Geography – First Steps')
    expect(asked).toHaveLength(1)
    // Two lists of progress, the courses of both, and the lessons of each course under way. The first time, the gateway learns that the
    // learner may not read drafts, which takes one more call.
    calls.length = 0
    await Promise.all([page.waitForResponse('**/graphql'), page.getByRole('button', { name: 'Show' }).click()])
    const routes = calls.map(({ path }) => path.split('?')[0]?.replace(/^\/lms\/v\d\//, ''))
    expect(routes.filter((route) => route === 'sfwd-lessons')).toHaveLength(5)
    expect(routes.filter((route) => route !== 'sfwd-lessons').sort()).toEqual([
      'sfwd-courses',
      'users/3/course-progress',
      'users/3/course-progress',
    ])

    await page.evaluate(AXE)
    const violations = await page.evaluate(async () => (await (globalThis as any).axe.run(document)).violations.map(({ id }: any) => id))
    expect([violations, observed.problems, observed.foreign]).toEqual([[], [], []])
    await context.close()
  })

  it('says why it shows nothing', async () => {
    const { context } = await openContext(browser)
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.getByLabel('Login').fill('learner')
    await page.getByLabel('Application password').fill('wrong')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('invalid application password').waitFor()
    await context.close()
  })
})
