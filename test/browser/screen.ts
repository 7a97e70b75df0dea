import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { type Observed, openContext, PATIENCE } from './chromium.js'

/** Repeats a read until the expectation holds, with a timeout for busy machines. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: PATIENCE })

/** Whether a body is that of a run: not that of an estimate, of the schema, or of ids for operations. */
const isRun = (body: string | null): body is string =>
  body !== null && !['"explain":"plan"', '__schema', 'SiteIds'].some((text) => body.includes(text))

/** The GraphiQL page. */
export class Screen {
  constructor(
    readonly page: Page,
    readonly observed: Observed,
  ) {}

  get signedInAs(): Locator {
    return this.page.getByLabel('Run as')
  }

  /** The buttons of the tabs. */
  get tabs(): Locator {
    return this.page.getByRole('list', { name: 'Select active operation' }).locator('.graphiql-tab-button')
  }

  /** What is shown in place of a response until the first run of a tab. */
  get start(): Locator {
    return this.page.getByRole('region', { name: 'Start' })
  }

  /** Why an operation does not show everything. */
  get notice(): Locator {
    return this.page.locator('.notice')
  }

  /** The line below the editors. */
  get status(): Locator {
    return this.page.locator('.status-line')
  }

  /** Shows a part of the page on a narrow screen. */
  async view(name: 'Query' | 'Response' | 'Calls'): Promise<void> {
    await this.page.getByRole('group', { name: 'View' }).getByRole('button', { name }).click()
  }

  /** Opens the page, and waits for all editors. The headers editor appears last. */
  async open(address: string): Promise<void> {
    await this.page.addInitScript(() => {
      Object.assign(globalThis, {
        modelOf: (end: string) => (globalThis as any).__MONACO.editor.getModels().find((model: any) => model.uri.path.endsWith(end)),
      })
    })
    await this.page.goto(address)
    await this.page.locator('.graphiql-query-editor .view-line').first().waitFor()
    await this.page.locator('.graphiql-response .monaco-editor').waitFor({ state: 'attached' })
    await this.page.locator('.graphiql-editor-tool .monaco-editor').nth(1).waitFor({ state: 'attached' })
    await eventually(() => this.page.locator('select:disabled').count()).toBe(0)
  }

  /** Shows a pane of the sidebar. */
  async show(pane: string): Promise<void> {
    const button = this.page.getByRole('button', { name: `Show ${pane}` })
    if ((await button.count()) > 0) await button.click()
  }

  /** Chooses an operation in the pane, and waits until its tab is the current one. */
  async choose(title: string): Promise<void> {
    await this.show('Operations')
    const operations = this.page.getByRole('region', { name: 'Operations' }).locator('li button')
    await operations.filter({ has: this.page.getByText(title, { exact: true }) }).click()
    await eventually(() => this.textOf('operation.graphql')).toContain(`# ${title}\n`)
    await eventually(() => this.page.locator('.operations button:disabled').count()).toBe(0)
  }

  /** The text of an editor, by the end of its name: `operation.graphql`, `variables.json`, `request-headers.json`, `response.json`. */
  textOf(name: string): Promise<string> {
    return this.page.evaluate((end) => modelOf(end).getValue(), name)
  }

  /** Replaces the text of an editor, and waits until GraphiQL has read it. */
  async write(name: string, text: string): Promise<void> {
    await this.page.evaluate(([end, value]) => modelOf(end as string).setValue(value), [name, text])
    await this.isRead()
  }

  /** Waits until GraphiQL has read a change of an editor: it does so 100 ms later, and timers of a page end in their order. */
  protected isRead(): Promise<void> {
    return this.page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve, 300)))
  }

  /** Holds back requests with a text in their body, until the returned function is called. */
  async hold(text: string): Promise<() => void> {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await this.page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes(text)) await released
      // The page may have aborted the request.
      await route.fallback().catch(() => {})
    })
    return release
  }

  /** Presses the play button, and waits until an operation with this text is sent. */
  async send(text: string): Promise<void> {
    const isWanted = (body: string | null) => isRun(body) && body.includes(text)
    await Promise.all([
      this.page.waitForRequest((candidate) => isWanted(candidate.postData())),
      this.page.getByRole('button', { name: /^Execute query/ }).click(),
    ])
  }

  /** Presses the play button. Returns the request, and the response that the page shows. */
  async run(): Promise<{ request: Request; answer: unknown }> {
    const [request] = await Promise.all([
      this.page.waitForRequest((candidate) => isRun(candidate.postData())),
      this.page.getByRole('button', { name: /^Execute query/ }).click(),
    ])
    await eventually(() => this.textOf('response.json')).toMatch(/^\{[\s\S]*\}$/)
    return { request, answer: JSON.parse(await this.textOf('response.json')) }
  }
}

/** A text in an editor. Runs in the page. */
declare function modelOf(end: string): { getValue(): string; setValue(text: string | undefined): void }

/** Opens the page in a new profile, runs the test, and expects that the page had no problems. */
export async function visit(
  browser: Browser,
  address: string,
  use: (screen: Screen) => Promise<void>,
  options?: BrowserContextOptions,
): Promise<void> {
  const { context, observed } = await openContext(browser, options)
  try {
    const screen = new Screen(await context.newPage(), observed)
    await screen.open(address)
    await use(screen)
    expect(observed).toEqual({ problems: [], foreign: [] })
  } catch (error) {
    throw new Error(`${error}\nWhat the browser saw: ${JSON.stringify(observed, null, 2)}`, { cause: error })
  } finally {
    await context.close()
  }
}
