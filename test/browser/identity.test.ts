import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toFragment } from '../../src/graphiql/share/link.js'
import { startGateway } from '../../src/index.js'
import { startLms } from '../../src/lms/index.js'
import { launchChromium, openContext, PATIENCE, WHY_NO_BROWSER } from './chromium.js'
import { eventually, Screen } from './screen.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** An API key that is also in no other text of the page. */
const KEY = 'APIKEY-of-the-gateway'
const USER = { login: 'admin', password: 'admin-demo' }
const BASIC = Buffer.from(`${USER.login}:${USER.password}`).toString('base64')

/** Marks of the secrets that are entered: in the dialog, in the headers of a tab, in a query, in variables. */
const SECRETS = [
  KEY,
  USER.password,
  BASIC,
  'HEADER-TOKEN',
  'QUERY-PASSWORD',
  'BLOCK-PASSWORD',
  'VARIABLE-PASSWORD',
  'COMMENT-PASSWORD',
  'HALF-TYPED',
]

const QUERY = `query Protected($p: String) {
  # password: "COMMENT-PASSWORD"
  course(slug: "none-1", password: "QUERY-PASSWORD") { id }
  other: course(slug: "none-2", password: """BLOCK-PASSWORD""") { id }
  third: course(slug: "none-3", password: $p) { id }
  courses(first: 2) { nodes { id title } }
}
`
const VARIABLES = '{ "p": "VARIABLE-PASSWORD" }'

const MUTATION = `mutation Rename($id: ID!, $title: String) {
  updateCourse(input: { id: $id, title: $title, password: "QUERY-PASSWORD" }) { __typename ... on LmsError { code } }
}
`

const NAME = `The GraphiQL page in front of a real site${WHY_NO_BROWSER ? `: ${WHY_NO_BROWSER}` : ''}`

describe.skipIf(WHY_NO_BROWSER)(NAME, { timeout: 6 * PATIENCE }, () => {
  let address: string
  let browser: Browser
  const calls: string[] = []
  const closing: (() => Promise<void>)[] = []

  beforeAll(async () => {
    const lms = await startLms({ profile: 'learndash' })
    const gateway = await startGateway({
      site: { url: lms.url, preset: 'learndash' },
      http: { port: 0 },
      access: { apiKeys: [KEY], open: true },
      on: {
        call: ({ method, path }) => calls.push(`${method} ${path}`),
      },
    })
    address = `${gateway.url}/graphql`
    browser = await launchChromium()
    closing.push(
      () => browser.close(),
      gateway.close,
      () => lms.close(),
    )
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  /** Opens the page in a new profile, runs the test, and expects that the page had no problems but these. */
  async function visit(use: (screen: Site) => Promise<void>, problems: string[] = [], options: BrowserContextOptions = {}): Promise<void> {
    const { context, observed } = await openContext(browser, { permissions: ['clipboard-read', 'clipboard-write'], ...options })
    try {
      const screen = new Site(await context.newPage(), observed)
      await screen.open(address)
      await use(screen)
      expect(observed).toEqual({ problems, foreign: [] })
    } catch (error) {
      throw new Error(`${error}\nWhat the browser saw: ${JSON.stringify(observed, null, 2)}`, { cause: error })
    } finally {
      await context.close()
    }
  }

  it('signs in by keyboard, and keeps and shows no secret in any other place', () =>
    visit(
      async (screen) => {
        const { page, dialog, who } = screen
        await screen.write('query', '{ courses(first: 2) { nodes { id title } } }')
        expect(await screen.sent()).toEqual({})

        // The focus stays in the dialog, and comes back.
        await who.focus()
        await page.keyboard.press('Enter')
        await dialog.waitFor()
        for (let presses = 0; presses < 12; presses++) {
          await page.keyboard.press('Tab')
          expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
        }
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        await eventually(() => who.evaluate((element) => element === document.activeElement)).toBe(true)

        // A wrong key is shown in the dialog, and not kept.
        await page.keyboard.press('Enter')
        await dialog.getByLabel('Keep for this browser session').check()
        await screen.enter({ 'User name': USER.login, 'Application password': USER.password, 'API key': 'a-wrong-key-of-the-gateway' })
        await eventually(() => dialog.getByRole('alert').innerText()).toBe('The API key is not valid.')
        expect(await screen.kept()).toEqual([])

        // So is a wrong password, which the site rejects.
        await screen.enter({ 'User name': USER.login, 'Application password': 'a-wrong-password', 'API key': KEY })
        await eventually(() => dialog.getByRole('alert').innerText()).toMatch(/^The site does not accept these credentials/)
        expect(await screen.kept()).toEqual([])
        await page.keyboard.press('Escape')
        expect(await screen.sent()).toEqual({})

        await screen.signIn()
        await eventually(() => who.innerText()).toBe('Ada Administrator')
        const { answer } = await screen.run()
        expect(answer).toMatchObject({ data: { courses: { nodes: [{}, {}] } } })
        const headers = { authorization: `Basic ${BASIC}`, 'x-api-key': KEY }
        expect(await screen.sent()).toEqual(headers)

        // Headers of a tab take precedence.
        await screen.write('headers', '{ "authorization": "Bearer HEADER-TOKEN" }')
        expect(await screen.sent()).toEqual({ ...headers, authorization: 'Bearer HEADER-TOKEN' })
        await eventually(() => who.innerText()).toBe('from the headers')
        await screen.write('headers', `{ "X-API-Key": "${KEY}", /* a comment */ }`)
        await eventually(() => who.innerText()).toBe('from the headers')
        await screen.write('headers', '')

        // Passwords of content, in each place that can have one.
        await page.getByRole('button', { name: 'New tab' }).click()
        await screen.write('query', QUERY)
        await screen.write('variables', VARIABLES)
        const { request } = await screen.run()
        expect(request.postData()).toMatch(/QUERY-PASSWORD.*BLOCK-PASSWORD.*VARIABLE-PASSWORD/s)
        const copies = await screen.copies()
        expect(copies).toEqual([
          expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/graphql#operation=[\w-]+$/),
          expect.stringMatching(/^curl '[\s\S]*"Authorization: \$AUTHORIZATION"[\s\S]*"X-API-Key: \$X_API_KEY"[\s\S]*password: \\"\\"/),
          expect.stringMatching(/authorization: process\.env\.AUTHORIZATION[\s\S]*\{ p: '' \}/),
          expect.stringMatching(/^query Protected[\s\S]*password: ""/),
        ])
        await page.evaluate(() => navigator.clipboard.writeText('nothing'))
        await screen.focus('query')
        // GraphiQL defines the shortcut with the key that is Control on a Mac, and the Windows key elsewhere.
        await page.keyboard.press('Shift+Meta+C')
        await eventually(() => screen.clipboard()).toBe(copies[3])

        // The history has the operations of this visit, without their secrets.
        await page.getByRole('button', { name: 'Show History' }).click()
        const items = page.locator('.graphiql-history-item')
        await eventually(() => items.count()).toBeGreaterThanOrEqual(2)
        await page.getByRole('button', { name: 'New tab' }).click()
        await items.first().locator('.graphiql-history-item-label').click()
        await eventually(() => screen.read('query')).toContain('course(slug: "none-1", password: "")')
        await eventually(async () => JSON.parse(await screen.read('variables'))).toEqual({ p: '' })
        for (const item of (await items.all()).slice(1)) {
          await item.locator('.graphiql-history-item-label').click()
          expect(await screen.read('headers')).toBe('')
        }
        await items.first().getByRole('button', { name: 'Add favorite' }).click()

        await screen.write('query', '{ course(slug: "none-4", password: "HALF-TYPED')
        await expect.poll(() => screen.everything(), { timeout: PATIENCE }).toContain('none-4')
        const everything = [await screen.everything(), ...copies].join('\n')
        for (const secret of SECRETS) expect(everything).not.toContain(secret)
        expect(await screen.kept()).toEqual([])

        // A reload keeps what was asked for.
        await screen.open(address)
        await eventually(() => screen.tabs.count()).toBeGreaterThanOrEqual(3)
        await eventually(() => who.innerText()).toBe('visitor, not signed in')
        await screen.signIn('Keep for this browser session')
        await eventually(() => screen.kept()).toEqual(['lms-graphql:identity:/graphql'])
        await screen.open(address)
        await eventually(() => who.innerText()).toBe('Ada Administrator')
        await screen.write('query', '{ courses(first: 1) { nodes { id } } }')
        expect(await screen.sent()).toEqual(headers)
        await who.click()
        await dialog.getByRole('button', { name: 'Sign out' }).click()
        await dialog.waitFor({ state: 'detached' })
        await eventually(async () => [await screen.kept(), await who.innerText()]).toEqual([[], 'visitor, not signed in'])
        expect(await screen.sent()).toEqual({})
      },
      ['error: Failed to load resource: the server responded with a status of 401 (Unauthorized)'],
    ))

  it('opens a link to a mutation without running it, and copies a command with the same answer', () =>
    visit(async (screen) => {
      const { page } = screen
      await screen.signIn()
      await screen.write('query', MUTATION)
      await screen.write('variables', '{ "id": "no id", "title": "it\'s \\"`new`\\" $HOME" }')
      const [link = '', command = ''] = await screen.copies()
      const before = calls.length
      const posts: string[] = []
      page.on('request', (each) => each.method() === 'POST' && posts.push(each.postData() ?? ''))

      // In the same page, and in a new one.
      const count = await screen.tabs.count()
      for (const go of [() => page.evaluate((hash) => location.assign(hash), new URL(link).hash), () => screen.reopen(link)]) {
        await go()
        const notice = page.locator('.link-notice')
        await notice.waitFor()
        await eventually(() => notice.innerText()).toBe(
          'From a link, and not run yet. It has a mutation: running it changes data of the site.',
        )
        await eventually(() => screen.read('query')).toBe(MUTATION.replace('QUERY-PASSWORD', ''))
        await eventually(() => page.url()).toBe(address)
        await eventually(() => screen.stored()).toBe(await screen.tabs.count())
        expect(posts.filter((post) => !post.includes('__schema') && post.includes('updateCourse') && !post.includes('"plan"'))).toEqual([])
        expect(calls.slice(before).filter((call) => !call.startsWith('GET'))).toEqual([])
      }
      await eventually(() => screen.tabs.count()).toBe(count + 2)
      await screen.signIn()
      const { answer } = await screen.run()
      await page.locator('.link-notice').waitFor({ state: 'detached' })
      expect(answer).toMatchObject({ data: { updateCourse: { __typename: 'InvalidInputError' } } })
      const environment = { PATH: process.env.PATH, AUTHORIZATION: `Basic ${BASIC}`, X_API_KEY: KEY }
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: environment })
      expect(JSON.parse(stdout)).toEqual(answer)

      await page.goto('about:blank')
      await page.goto(`${address}#operation=abc`)
      await eventually(() => screen.dialog.innerText()).toContain('The link is damaged.')
      await page.keyboard.press('Escape')
      await screen.dialog.waitFor({ state: 'detached' })
      await eventually(() => screen.tabs.count()).toBe(count + 2)
    }))

  it('opens a link while an operation runs, whose response does not come into the new tab', () =>
    visit(async (screen) => {
      const { page } = screen
      await screen.write('query', 'query Held { courses(first: 1) { nodes { id } } }')
      const answer = await screen.hold('query Held')
      await screen.send('query Held')
      const query = '{ courses(first: 2) { nodes { title } } }'
      await page.evaluate((hash) => location.assign(hash), await toFragment({ query, variables: '' }))
      const notice = page.locator('.link-notice')
      await notice.waitFor()
      answer()
      await page.waitForTimeout(1000)
      expect(await screen.read('query')).toBe(query)
      expect([await screen.textOf('response.json'), await notice.innerText()]).toEqual([
        '',
        'From a link, and not run yet. Read it before you run it.',
      ])
      await screen.run()
      await notice.waitFor({ state: 'detached' })
    }))

  it('does not sign in after the dialog was closed, asks for ids of operations again, and tells that credentials cannot be kept', () =>
    visit(async (screen) => {
      const { page, dialog, who } = screen
      const answer = await screen.hold('query Viewer')
      await who.click()
      await Promise.all([
        page.waitForRequest((request) => !!request.postData()?.includes('query Viewer')),
        screen.enter({ 'User name': USER.login, 'Application password': USER.password, 'API key': KEY }),
      ])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      answer()
      await page.waitForTimeout(1000)
      expect([await who.innerText(), await screen.sent()]).toEqual(['visitor, not signed in', {}])

      // What the site has told the page is forgotten with the credentials.
      const asked: string[] = []
      page.on('request', (request) => request.postData()?.includes('SiteIds') && asked.push(request.postData() ?? ''))
      await screen.signIn()
      await screen.choose('A course page')
      await who.click()
      await dialog.getByRole('button', { name: 'Sign out' }).click()
      await dialog.waitFor({ state: 'detached' })
      await screen.signIn()
      await screen.choose('Records by their global ids')
      expect(asked.map((body) => body.includes('courses('))).toEqual([true, true])

      await page.evaluate(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException('The quota is exceeded.', 'QuotaExceededError')
        }
      })
      await who.click()
      await dialog.getByLabel('Keep for this browser session').check()
      await screen.enter({ 'User name': USER.login, 'Application password': USER.password, 'API key': KEY })
      await eventually(() => dialog.getByRole('alert').innerText()).toBe('Signing in failed: The quota is exceeded.')
      await eventually(() => dialog.getByRole('button', { name: 'Sign in', exact: true }).isEnabled()).toBe(true)
    }))

  it('shows the role of a caller of a service account after a run that is explained, until the operation changes', async () => {
    const lms = await startLms()
    const gateway = await startGateway({
      site: { url: lms.url, user: USER.login, password: USER.password },
      http: { port: 0 },
      access: { apiKeys: [`desk:${KEY}`], open: true, roles: ['editor=key:desk'] },
      observe: { explainFor: ['everybody'] },
    })
    const before = address
    address = `${gateway.url}/graphql`
    try {
      await visit(async (screen) => {
        await screen.write('query', '{ courses(first: 2) { nodes { id } } }')
        expect(await screen.who.innerText()).not.toContain('as ')
        await screen.sent()
        await eventually(() => screen.who.innerText()).toContain('as visitor')
        await screen.who.click()
        await screen.dialog.getByLabel('API key').fill(KEY)
        await screen.page.keyboard.press('Enter')
        await screen.dialog.waitFor({ state: 'detached' })
        await eventually(() => screen.who.innerText()).not.toContain('as visitor')
        await screen.sent()
        await eventually(() => screen.who.getAttribute('aria-label')).toContain(', as editor')
        await screen.write('query', '{ courses(first: 3) { nodes { id } } }')
        await eventually(() => screen.who.innerText()).not.toContain('as editor')
      })
    } finally {
      address = before
      await gateway.close()
      await lms.close()
    }
  })

  it('can be used where the browser blocks storage', () =>
    visit(async (screen) => {
      await screen.page.addInitScript(() => {
        for (const name of ['localStorage', 'sessionStorage']) {
          Object.defineProperty(globalThis, name, {
            get() {
              throw new DOMException('Access is denied for this document.', 'SecurityError')
            },
          })
        }
      })
      await screen.open(address)
      await screen.signIn('Keep for this browser session')
      expect((await screen.run()).answer).toMatchObject({ data: { groups: expect.anything() } })
    }))

  it('has no barriers in dialogs and menu, light and dark, wide and narrow, and shows texts that it may not copy', async () => {
    for (const [colorScheme, width] of [
      ['light', 1400],
      ['dark', 390],
    ] as const) {
      await visit(
        async (screen) => {
          const { page, dialog, who } = screen
          await who.click()
          await dialog.getByLabel('Bearer token').check()
          await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
          await eventually(() => dialog.getByRole('alert').innerText()).toBe('Enter the token.')
          expect(await screen.violations('.graphiql-dialog')).toEqual([])
          const box = await dialog.boundingBox()
          expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true)
          await page.keyboard.press('Escape')
          expect(await screen.violations('.identity')).toEqual([])

          await page.getByRole('button', { name: 'Share' }).click()
          await page.getByRole('menuitem', { name: 'Copy link' }).waitFor()
          expect(await screen.violations('[role=menu]')).toEqual([])
          await page.evaluate(() => {
            navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
          })
          await page.getByRole('menuitem', { name: 'Copy query' }).click()
          const text = dialog.getByRole('textbox', { name: 'Query' })
          await eventually(() => text.inputValue()).toContain('query')
          await eventually(() => text.evaluate((element: HTMLTextAreaElement) => element.selectionEnd - element.selectionStart)).toBe(
            (await text.inputValue()).length,
          )
          expect(await screen.violations('.graphiql-dialog')).toEqual([])
          await page.keyboard.press('Escape')
          await dialog.waitFor({ state: 'detached' })
        },
        [],
        { colorScheme, viewport: { width, height: 844 } },
      )
    }
  })
})

type EditorName = 'query' | 'variables' | 'headers'

/** The page in front of a site without demo users. */
class Site extends Screen {
  /** The control that shows who the caller is. */
  readonly who = this.page.getByRole('button', { name: /^Run as: / })
  readonly dialog = this.page.getByRole('dialog')

  override async open(address: string): Promise<void> {
    await super.open(address)
    await this.who.waitFor()
  }

  /** Opens an address that differs from the present one in its fragment only. */
  async reopen(address: string): Promise<void> {
    await this.page.goto('about:blank')
    await this.open(address)
  }

  /** Fills fields of the dialog in their order, by keyboard. */
  async enter(fields: Readonly<Record<string, string>>): Promise<void> {
    await this.dialog.getByRole('radio', { name: 'Application password' }).focus()
    for (const [label, text] of Object.entries(fields)) {
      await this.page.keyboard.press('Tab')
      await eventually(() => this.page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.innerText)).toBe(label)
      await this.page.keyboard.press('Control+A')
      await this.page.keyboard.type(text)
    }
    await this.page.keyboard.press('Enter')
  }

  async signIn(keep?: string): Promise<void> {
    await this.who.focus()
    await this.page.keyboard.press('Enter')
    if (keep) await this.dialog.getByLabel(keep).check()
    await this.enter({ 'User name': USER.login, 'Application password': USER.password, 'API key': KEY })
    await this.dialog.waitFor({ state: 'detached' })
    await eventually(() => this.who.innerText()).not.toBe('visitor, not signed in')
  }

  /** Runs the operation. Returns the credentials in the headers of the request. */
  async sent(): Promise<Record<string, string>> {
    const { request } = await this.run()
    return Object.fromEntries(Object.entries(await request.allHeaders()).filter(([name]) => ['authorization', 'x-api-key'].includes(name)))
  }

  private model<T>(name: EditorName, use: 'getValue' | 'setValue', text?: string): Promise<T> {
    const path = { query: 'operation.graphql', variables: 'variables.json', headers: 'request-headers.json' }[name]
    return this.page.evaluate(
      ([end, method, value]) =>
        (globalThis as any).__MONACO.editor
          .getModels()
          .find((model: any) => model.uri.path.endsWith(end))
          [method as string](value),
      [path, use, text],
    )
  }

  read(name: EditorName): Promise<string> {
    return this.model(name, 'getValue')
  }

  /** Replaces the text of an editor, and waits until GraphiQL has read it. */
  override async write(name: EditorName, text: string): Promise<void> {
    await this.model(name, 'setValue', text)
    await this.isRead()
  }

  focus(name: EditorName): Promise<void> {
    return this.page.locator(`.graphiql-${name}-editor .view-lines`).click()
  }

  clipboard(): Promise<string> {
    return this.page.evaluate(() => navigator.clipboard.readText())
  }

  /** What each item of the menu copies. */
  async copies(): Promise<string[]> {
    const copies: string[] = []
    for (const [item, note] of [
      ['Copy link', 'Link copied.'],
      ['Copy as curl', 'curl command copied.'],
      ['Copy as TypeScript', 'TypeScript copied.'],
      ['Copy query', 'Query copied.'],
    ] as const) {
      await this.page.getByRole('button', { name: 'Share' }).press('Enter')
      await this.page.getByRole('menuitem', { name: item }).press('Enter')
      await this.page.getByText(`${note} Values of passwords are left out.`).waitFor()
      copies.push(await this.clipboard())
    }
    return copies
  }

  /** Names of values in the storage of the browser session. */
  kept(): Promise<string[]> {
    return this.page.evaluate(() => Object.keys(sessionStorage))
  }

  /** The number of stored tabs. GraphiQL stores them half a second after a change. */
  stored(): Promise<number> {
    return this.page.evaluate(() => JSON.parse(localStorage.getItem('graphiql:tabState') ?? '').tabs.length)
  }

  /** All that the browser has stored of the page, and its addresses. */
  everything(): Promise<string> {
    return this.page.evaluate(async () =>
      JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
        await indexedDB.databases(),
        await caches.keys(),
        history.state,
        (globalThis as any).navigation.entries().map(({ url }: { url: string }) => url),
        location.href,
        document.title,
      ]),
    )
  }

  async violations(within: string): Promise<string[]> {
    if (!(await this.page.evaluate(() => 'axe' in globalThis))) await this.page.evaluate(AXE)
    return this.page.evaluate(async (selector) => {
      const { violations } = await (globalThis as any).axe.run(selector)
      return violations.map(
        ({ id, nodes }: any) => `${id}: ${nodes.map(({ failureSummary, html }: any) => `${html} ${failureSummary}`).join('; ')}`,
      )
    }, within)
  }
}
