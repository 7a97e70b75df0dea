import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))

/** Why browser tests cannot run here: undefined when they can, or must (in CI a missing browser is a failure, not a reason). */
export const WHY_NO_BROWSER = EXECUTABLE || process.env.CI ? undefined : 'no Chromium is installed (Debian: apt-get install chromium)'

/** Milliseconds that a page may take for one thing: on a busy machine its editors alone take many seconds. */
export const PATIENCE = 45_000

/** Starts headless Chromium, for which no host but loopback exists. */
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

/** What a page did that a test should know of. */
export interface Observed {
  /** Console errors and warnings, uncaught exceptions and violations of the content security policy. */
  problems: string[]
  /** Addresses of requests to another host than loopback; they are aborted. */
  foreign: string[]
}

/** A fresh profile whose pages are watched, and cut off from all but loopback. */
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
