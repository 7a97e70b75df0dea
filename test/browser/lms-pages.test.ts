import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { credentials, type Json } from '../lms/world.js'
import { launchChromium, openContext, WHY_NO_BROWSER } from './chromium.js'

describe.skipIf(WHY_NO_BROWSER)('pages of the embedded LMS', () => {
  let browser: Browser
  let lms: RunningLms
  beforeAll(async () => {
    ;[browser, lms] = await Promise.all([launchChromium(), startLms()])
  })
  afterAll(() => Promise.all([browser.close(), lms.close()]))

  const write = async (path: string, body: Json): Promise<Json> => {
    const headers = { ...credentials('admin'), 'content-type': 'application/json' }
    const response = await fetch(`${lms.url}/lms/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Json
  }

  it('show a title as text, and run nothing that is in the content', async () => {
    const title = '</title></h1><img src=x onerror="window.ran = true"><script>window.ran = true</script>'
    const content = `<p id="words">Words</p><script>window.ran = true</script><img src="/x" onerror="window.ran = true">
      <a id="link" href="javascript:window.ran = true">Link</a><base href="https://elsewhere.example/">
      <meta http-equiv="refresh" content="0;url=/groups/none/"><style>#words { display: none }</style>
      <form action="/elsewhere/" method="post"><button id="send">Send</button></form>`
    const { id, link } = await write('v1/groups', { title, content, status: 'publish' })
    const { context, observed } = await openContext(browser)
    const page = await context.newPage()
    await page.goto(link)
    expect(await page.locator('h1').textContent()).toBe(title)
    expect(await page.locator('#words').isVisible()).toBe(true)
    await page.locator('#link').click()
    await page.locator('#send').click()
    // Longer than the redirect in the content would take.
    await page.waitForTimeout(500)
    expect(page.url()).toBe(link)
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(observed.problems.some((problem) => problem.includes('Content Security Policy'))).toBe(true)
    expect(observed.foreign).toEqual([])
    await page.locator('nav a').click()
    expect(page.url()).toBe(`${lms.url}/wp-json/lms/v1/groups/${id}`)
    await context.close()
  })
})
