import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))

/** Why browser tests cannot run on this machine; undefined when they can, and always in CI, where a missing browser is a failure. */
export const WHY_NO_BROWSER = EXECUTABLE || process.env.CI ? undefined : 'no Chromium is installed (Debian: apt-get install chromium)'

/** Timeout of one step in milliseconds. On a busy machine, the editors of the page take many seconds. */
export const PATIENCE = 45_000

/** Starts headless Chromium, which resolves no host except loopback. */
export function launchChromium(): Promise<Browser> {
  if (!EXECUTABLE) throw new Error('no Chromium is installed: CI needs /usr/bin/chromium')
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

/** Problems of a page. */
export interface Observed {
  /** Console errors and warnings, uncaught exceptions and violations of the content security policy. */
  problems: string[]
  /** URLs of requests to hosts other than loopback. They are aborted. */
  foreign: string[]
}

/** A new profile whose pages are observed, and can only reach loopback. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; observed: Observed }> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })
  context.setDefaultTimeout(PATIENCE)
  const observed: Observed = { problems: [], foreign: [] }
  await context.route(
    (url) => /^(?:https?|wss?):$/.test(url.protocol) && url.hostname !== '127.0.0.1',
    (route) => {
      observed.foreign.push(route.request().url())
      return route.abort()
    },
  )
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`CSP ${event.effectiveDirective} blocked ${event.blockedURI}`))
  })
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') observed.problems.push(`${message.type()}: ${message.text()}`)
  })
  context.on('weberror', (error) => observed.problems.push(`uncaught: ${error.error().stack ?? error.error()}`))
  return { context, observed }
}
