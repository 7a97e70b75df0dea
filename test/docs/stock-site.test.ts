import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'libsql'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/lms/auth.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { launchChromium, openContext, PATIENCE, WHY_NO_BROWSER } from '../browser/chromium.js'
import { makeSigner } from '../server/issuer.js'
import { authorizationOf } from '../support/world.js'
import { IdentityProvider } from './identity-provider.js'
import { type Block, placeOf, readPage } from './page.js'
import { contains, Shell } from './shell.js'

// docs/stock-site.md with real programs: its commands and files, the embedded LMS as a site of the plugin, an identity provider, and its page in
// Chromium.

const { blocks } = readPage('docs/stock-site.md')
const COMMANDS = blocks.filter(({ language }) => language === 'sh')
const FILES = fileURLToPath(new URL('examples/stock-site/', import.meta.url))

/** What the commands of a block print, if the page says it. */
const printedBy = (commands: Block): Block | undefined =>
  blocks.find(({ language, section, line }) => language === 'text' && section === commands.section && line > commands.line)

/** The accounts of the page: two administrators of the site. */
const ACCOUNTS = ['reader', 'editor']
const LEARNER = { name: 'lena', id: 3, password: 'lena-secret' }
const OTHER = { name: 'pupil', id: 600_003, password: 'pupil-secret' }
const PEOPLE = Object.fromEntries(
  [LEARNER, OTHER].map(({ name, id, password }) => [name, { password, claims: { lms_user: id, roles: ['student'] } }]),
)

/** Makes two users of the sample school the accounts of the page. Each has its own application password. */
async function makeAccounts(file: string): Promise<void> {
  await (await startLms({ data: file })).close()
  const db = new Database(file)
  for (const [place, login] of ACCOUNTS.entries())
    db.prepare("UPDATE users SET login = ?, role = 'admin', password_hash = ? WHERE login = ?").run(
      login,
      hashPassword(login, `${login}-demo`),
      `teacher${place + 1}`,
    )
  db.close()
}

const TYPES: Readonly<Record<string, string>> = { html: 'text/html; charset=utf-8', js: 'text/javascript' }

const NAME = `a public catalogue and my learning${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 3 * PATIENCE }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'stock-site-'))
  const calls: { user: string | null; path: string }[] = []
  let lms: RunningLms
  let pages: Server
  let provider: IdentityProvider
  let shell: Shell
  let browser: Browser
  let school: string

  beforeAll(async () => {
    const data = join(folder, 'school.sqlite')
    await makeAccounts(data)
    lms = await startLms({ profile: 'learndash-5', data, onCall: ({ user, url }) => calls.push({ user, path: url }) })
    pages = createServer(({ url = '/' }, response) => {
      const name = new URL(url, 'http://school').pathname.slice(1) || 'index.html'
      if (!/^[\w-]+\.(?:html|js)$/.test(name)) return response.writeHead(204).end()
      const text = readFileSync(join(FILES, name), 'utf8').replaceAll('https://graphql.example.org', shell.adapted('http://127.0.0.1:4000'))
      return response.setHeader('content-type', TYPES[name.split('.')[1] as string] as string).end(shell.adapted(text))
    })
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
    school = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    provider = await IdentityProvider.start({ audience: 'lms', client: { id: 'school', redirect: `${school}/` }, people: PEOPLE })
    shell = await Shell.start(lms, { 'https://login.example.org': provider.url, 'https://school.example.org': school })
    for (const login of ACCOUNTS) shell.write(`${login}.txt`, `${login}-demo\n`)
    for (const { text, directive } of blocks) if (directive.name !== undefined) shell.write(directive.name, text)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await shell?.close()
    await provider?.close()
    pages?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(COMMANDS.map((block) => [placeOf(block), block] as const))('%s prints what the page says', async (_, block) => {
    const { code, printed } = await shell.run(block.text)
    expect(code, printed).toBe(0)
    const expected = printedBy(block)
    expect(contains(printed, expected?.text ?? ''), printed).toBe(true)
  })

  /** Opens the page in a profile of its own. `answers` collects what the gateway answers. */
  async function open(): Promise<{ page: Page; answers: string[]; problems: string[]; close: () => Promise<void> }> {
    const { context, observed } = await openContext(browser, { viewport: { width: 1000, height: 800 } })
    const page = await context.newPage()
    const answers: string[] = []
    page.on('response', async (response) => {
      if (response.url().endsWith('/graphql') && response.request().method() === 'POST') answers.push(await response.text())
    })
    await page.goto(`${school}/`)
    await page.getByRole('heading', { name: 'Catalogue' }).waitFor()
    return { page, answers, problems: observed.problems, close: () => context.close() }
  }

  async function signIn(page: Page, { name, password }: typeof LEARNER): Promise<void> {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'My courses' }).waitFor()
  }

  const picture = async (page: Page, name: string): Promise<void> => {
    const { DOCS_SCREENSHOTS } = process.env
    if (DOCS_SCREENSHOTS !== undefined) await page.screenshot({ path: join(DOCS_SCREENSHOTS, `stock-site-${name}.png`), fullPage: true })
  }

  /** What the site sends to an administrator. */
  const fromSite = async (path: string): Promise<any> =>
    (await fetch(`${lms.url}/ldlms/${path}`, { headers: { authorization: authorizationOf('admin') } })).json()

  it('shows a visitor the catalogue and the outline of a course, and no text of a lesson', async () => {
    const { page, answers, problems, close } = await open()
    const cards = page.getByRole('region', { name: 'Catalogue' }).getByRole('listitem')
    expect(await cards.count()).toBe(12)
    const first = cards.first()
    expect(await first.getByRole('heading').innerText()).not.toBe('')
    expect(await first.locator('p').innerText()).not.toBe('')
    await first.getByRole('img').evaluate((image: HTMLImageElement) => image.decode())
    await picture(page, 'visitor')
    await first.getByRole('button').click()
    const course = page.getByRole('region', { name: 'Course' })
    await course.getByRole('heading', { level: 3 }).first().waitFor()
    await picture(page, 'visitor-course')
    await course.getByRole('button').nth(2).click()
    expect(await course.getByRole('alert').innerText()).toBe('This is not open: NotEnrolled')
    await picture(page, 'visitor-lesson')
    expect(await page.getByRole('region', { name: 'My learning' }).innerText()).toBe('')
    for (const answer of answers) expect(answer).not.toContain('"content":"')
    expect(problems).toEqual([])
    await close()
  })

  it('shows each learner their own courses, their progress, and the text of a lesson that is open to them', async () => {
    const shown: string[][] = []
    for (const learner of [LEARNER, OTHER]) {
      const { page, problems, close } = await open()
      calls.length = 0
      await signIn(page, learner)
      expect(calls.map(({ user }) => user)).not.toContain('editor')
      const mine = page.getByRole('region', { name: 'My learning' })
      console.log(learner.name, calls.length, calls.map(({ user, path }) => `${user} ${path.split('?')[0]}`))
      await picture(page, learner.name)
      shown.push(await mine.getByRole('heading', { level: 3 }).allInnerTexts())
      await mine.getByRole('button', { name: 'Continue with' }).first().click()
      const frame = page.getByRole('region', { name: 'Course' }).locator('iframe')
      await frame.waitFor()
      await picture(page, `${learner.name}-lesson`)
      expect(await frame.contentFrame().locator('body').innerText()).not.toBe('')
      expect(problems).toEqual([])
      await close()
    }
  })
})
