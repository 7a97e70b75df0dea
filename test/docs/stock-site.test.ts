import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'libsql'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createGateway } from '../../src/index.js'
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

const { blocks, source } = readPage('docs/stock-site.md')
const COMMANDS = blocks.filter(({ language }) => language === 'sh')
const SETTINGS = parse(blocks.find(({ directive }) => directive.name === 'lms.yaml')?.text ?? '')
const FILES = fileURLToPath(new URL('examples/stock-site/', import.meta.url))

/** What the commands of a block print, if the page says it. */
const printedBy = (commands: Block): Block | undefined =>
  blocks.find(({ language, section, line }) => language === 'text' && section === commands.section && line > commands.line)

/** The accounts of the page: two administrators of the site. */
const ACCOUNTS = ['reader', 'editor']
/** A learner with a course and a lesson of it that is open to them, and not to the other one. */
const LEARNER = {
  ...{ name: 'lena', id: 3, password: 'lena-secret' },
  ...{ course: 'Algebra & Equations “Hands-On” Workshop', lesson: 'Lesson 4: Practising Factoring', ids: [100_556, 10_061] },
} as const
const OTHER = {
  ...{ name: 'pupil', id: 600_003, password: 'pupil-secret' },
  ...{ course: '“Café” French “Hands-On” Workshop', lesson: 'Lesson 2: Ordering Food: Key Ideas', ids: [100_629, 10_071] },
} as const
type SomeLearner = typeof LEARNER | typeof OTHER

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

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
    if (expected) expect(contains(printed, expected.text), printed).toBe(true)
  })

  /** Opens the page in a profile of its own. `answers` collects what the gateway answers. */
  async function open(): Promise<{ page: Page; answers: string[]; problems: string[]; close: () => Promise<void> }> {
    const { context, observed } = await openContext(browser, { viewport: { width: 1000, height: 800 } })
    const page = await context.newPage()
    const answers: string[] = []
    page.on('response', async (response) => {
      if (response.url().endsWith('/graphql') && response.request().method() === 'POST') answers.push(await response.text().catch(() => ''))
    })
    await page.goto(`${school}/`)
    await page.getByRole('heading', { name: 'Catalogue' }).waitFor()
    return { page, answers, problems: observed.problems, close: () => context.close() }
  }

  async function signIn(page: Page, { name, password }: SomeLearner): Promise<void> {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'My courses' }).waitFor()
  }

  const violations = async (page: Page): Promise<string[]> => {
    await page.evaluate(AXE)
    return page.evaluate(async () => (await (globalThis as any).axe.run(document)).violations.map(({ id }: any) => id))
  }

  const picture = async (page: Page, name: string): Promise<void> => {
    const { DOCS_SCREENSHOTS } = process.env
    if (DOCS_SCREENSHOTS !== undefined) await page.screenshot({ path: join(DOCS_SCREENSHOTS, `stock-site-${name}.png`), fullPage: true })
  }

  /** The first sentences of the lesson of a learner, as the site has them. */
  async function textFor({ ids: [lesson] }: SomeLearner): Promise<string> {
    const authorization = `Basic ${btoa('editor:editor-demo')}`
    const response = await fetch(`${lms.url}/wp-json/ldlms/v2/sfwd-lessons/${lesson}?_fields=content`, { headers: { authorization } })
    const { content } = (await response.json()) as { content: { rendered: string } }
    const text = /<p>([^<]{60})/.exec(content.rendered)?.[1]
    if (text === undefined) throw new Error(`Lesson ${lesson} has no text.`)
    return text
  }

  /** Sends an operation as the page does. */
  async function ask(query: string, token: string): Promise<{ status: number; text: string }> {
    const response = await fetch(shell.adapted('http://127.0.0.1:4000/graphql'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    })
    return { status: response.status, text: await response.text() }
  }

  it('shows a visitor the catalogue and the outline of a course, and no text of a lesson', async () => {
    const { page, answers, problems, close } = await open()
    const cards = page.getByRole('region', { name: 'Catalogue' }).getByRole('listitem')
    expect(await cards.count()).toBe(12)
    const [title, categories] = [await cards.first().getByRole('heading').innerText(), await cards.first().locator('p').innerText()]
    expect([title, categories]).toEqual(['“Café” French “Hands-On” Workshop', 'College'])
    await cards
      .first()
      .getByRole('img')
      .evaluate((image: HTMLImageElement) => image.decode())
    await picture(page, 'visitor')
    await page
      .getByRole('region', { name: 'Catalogue' })
      .getByRole('button', { name: `Open ${LEARNER.course}` })
      .click()
    const course = page.getByRole('region', { name: 'Course' })
    await course.getByRole('heading', { name: LEARNER.course }).waitFor()
    expect(await course.getByRole('button').allInnerTexts()).toContain(LEARNER.lesson)
    await picture(page, 'visitor-course')
    await course.getByRole('button', { name: LEARNER.lesson }).click()
    expect(await course.getByRole('alert').innerText()).toContain('The user is not enrolled in the course.')
    await picture(page, 'visitor-lesson')
    expect(await violations(page)).toEqual([])
    expect(await page.getByRole('region', { name: 'My learning' }).innerText()).toBe('')
    for (const answer of answers) expect(answer).not.toContain('"content":"')
    expect(problems).toEqual([])
    await close()
  })

  it('shows each learner their own courses and progress, and the text of a lesson that is open to them', async () => {
    const shown: string[][] = []
    for (const [learner, other] of [
      [LEARNER, OTHER],
      [OTHER, LEARNER],
    ] as const) {
      const { page, answers, problems, close } = await open()
      await signIn(page, learner)
      const mine = page.getByRole('region', { name: 'My learning' })
      await picture(page, learner.name)
      expect(await violations(page)).toEqual([])
      shown.push(await mine.getByRole('heading', { level: 3 }).allInnerTexts())
      expect(await mine.getByRole('progressbar').count()).toBeGreaterThan(3)
      expect(await mine.getByText(/^Since \d{4}-\d\d-\d\d$/).count()).toBeGreaterThan(3)
      await mine.getByRole('button', { name: `Open ${learner.course}` }).click()
      const course = page.getByRole('region', { name: 'Course' })
      await course.getByRole('button', { name: learner.lesson }).click()
      const frame = course.locator('iframe')
      await frame.waitFor()
      await picture(page, `${learner.name}-lesson`)
      expect(await frame.contentFrame().locator('body').innerText()).toContain(await textFor(learner))
      const textOfOther = await textFor(other)
      for (const answer of answers) expect(answer).not.toContain(textOfOther)
      const [lesson, id] = other.ids
      const { text } = await ask(`{ lesson(id: ${lesson}, course: ${id}) { content } }`, await provider.token(learner.name))
      expect(JSON.parse(text)).toMatchObject({ data: { lesson: { content: null } }, errors: [{ extensions: { code: 'FORBIDDEN' } }] })
      expect(problems).toEqual([])
      await close()
    }
    expect(shown[0]).not.toEqual(shown[1])
  })

  it('shows nothing of another learner', async () => {
    const token = await provider.token(OTHER.name)
    const { text } = await ask(
      `{ user(id: ${LEARNER.id}) { email courseProgress { nodes { percent } } courses { nodes { id } } nextLessons { lesson { id } } } }`,
      token,
    )
    const { data, errors } = JSON.parse(text)
    expect(data.user).toEqual({ email: null, courseProgress: null, courses: null, nextLessons: null })
    expect(new Set(errors.map(({ extensions }: any) => extensions.code))).toEqual(new Set(['FORBIDDEN']))
  })

  it('takes a token without a user of the site for that of a visitor', async () => {
    const { text } = await ask('{ viewer { id } courses(first: 1) { nodes { title } } }', await provider.token('nobody'))
    expect(JSON.parse(text)).toEqual({ data: { viewer: null, courses: { nodes: [{ title: expect.any(String) }] } } })
  })

  it.each([
    ['editors', { roles: ['author'] }, 'editor'],
    ['administrators', { roles: ['admin', 'student'] }, 'editor'],
    ['learners', {}, 'reader'],
  ])('reads for %s by the account that the page says', async (_, claims, account) => {
    calls.length = 0
    const { text } = await ask('{ course(id: 10061) { title titleRaw } }', await provider.token(LEARNER.name, claims))
    expect(new Set(calls.map(({ user }) => user))).toEqual(new Set([account]))
    const { data, errors } = JSON.parse(text)
    const isHidden = account === 'reader'
    expect([data.course.title, data.course.titleRaw === null, errors?.[0].extensions.code]).toEqual([
      LEARNER.course,
      isHidden,
      isHidden ? 'FORBIDDEN' : undefined,
    ])
  })

  it('reads the home of a learner with few REST calls, by the reading account alone', async () => {
    const query = /`(query MyLearning [^`]*)`/.exec(readFileSync(join(FILES, 'school.js'), 'utf8'))?.[1] as string
    calls.length = 0
    const { text } = await ask(query, await provider.token(LEARNER.name))
    expect(JSON.parse(text)).not.toHaveProperty('errors')
    expect(new Set(calls.map(({ user }) => user))).toEqual(new Set(['reader']))
    const behindAccount = calls.length
    calls.length = 0
    const own = createGateway({ site: { url: `${lms.url}/wp-json`, preset: 'learndash', routes: SETTINGS.site.routes } })
    await own.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: authorizationOf('learner') },
      body: JSON.stringify({ query }),
    })
    await own.close()
    console.log(`REST calls of the home of a learner: ${behindAccount} behind the account, ${calls.length} with their own credentials.`)
    expect(behindAccount).toBeLessThanOrEqual(12)
    const { edges } = JSON.parse(text).data.viewer.courses
    expect(source).toContain(`with ${edges.length} courses, it makes ${behindAccount} REST calls`)
  })

  it.each([
    ['has expired', () => provider.token(LEARNER.name, { exp: Math.floor(Date.now() / 1000) - 60 })],
    ['is signed by somebody else', async () => provider.token(LEARNER.name, {}, await makeSigner('one'))],
    ['is for another audience', () => provider.token(LEARNER.name, { aud: 'shop' })],
    ['is of another issuer', () => provider.token(LEARNER.name, { iss: 'https://login.example.com' })],
  ])('refuses a token that %s', async (_, makeToken) => {
    calls.length = 0
    const { status, text } = await ask('{ courses { nodes { title } } }', await makeToken())
    expect([status, JSON.parse(text).errors[0].extensions.code, calls]).toEqual([401, 'UNAUTHENTICATED', []])
  })

  it('is the page of a visitor again when the token has expired', async () => {
    const { page, close } = await open()
    provider.lifetime = 1
    await signIn(page, LEARNER)
    provider.lifetime = 600
    // Clocks may differ by five seconds.
    await setTimeout(6_500)
    await page.getByRole('button', { name: 'Open' }).last().click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.getByRole('region', { name: 'My learning' }).innerText()).toBe('')
    await close()
  })
})
