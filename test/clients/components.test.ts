import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, openContext, WHY_NO_BROWSER } from '../browser/chromium.js'
import { Project } from '../support/project.js'
import { authorizationOf, World } from '../support/world.js'

// The components and settings of docs/front-ends/codegen.md and of the pages of the clients: generated types, compiled with the types of the
// clients, built by Vite, and shown in a browser in front of a gateway.

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

describe('components in React, with types of GraphQL Code Generator and Relay', { timeout: 300_000 }, () => {
  let project: Project
  const at = (path: string): string => join(project.folder, path)
  beforeAll(() => {
    project = new Project('test/docs/examples/clients', ['test/clients/node_modules'])
    for (const name of ['apollo', 'relay', 'urql'])
      cpSync(fileURLToPath(new URL(`recipes/${name}.ts`, import.meta.url)), at(`src/recipes/${name}.ts`))
  })
  afterAll(() => project.remove())

  it('compile with the types of urql, Apollo Client, TanStack Query and Relay', async () => {
    expect(await project.run('graphql-codegen', ['--config', 'codegen.ts'])).toMatchObject({ code: 0, stderr: '' })
    expect(await project.run('node', ['node_modules/relay-compiler/cli.js', 'relay.config.json'])).toMatchObject({ code: 0 })
    expect(await project.run('tsc', [])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('do not compile with documents as texts, which these clients do not take', async () => {
    const texts = readFileSync(at('codegen.ts'), 'utf8').replace('config: { scalars,', "config: { documentMode: 'string', scalars,")
    expect(texts).toContain('documentMode')
    writeFileSync(at('texts.ts'), texts)
    expect(await project.run('graphql-codegen', ['--config', 'texts.ts'])).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await project.run('tsc', [])
    for (const file of ['urql', 'apollo', 'tanstack-query']) expect(stdout).toContain(`src/${file}.tsx(`)
    // The compiler of Relay has written its document.
    expect(stdout).not.toContain('src/relay/course.tsx(')
    expect(await project.run('graphql-codegen', ['--config', 'codegen.ts'])).toMatchObject({ code: 0 })
  })

  describe.skipIf(WHY_NO_BROWSER)('in a browser', () => {
    let world: World
    let browser: Browser
    let files: Server
    let origin = ''
    beforeAll(async () => {
      expect(await project.run('vite', ['build'])).toMatchObject({ code: 0 })
      const built = readdirSync(at('dist/assets')).map((name) => readFileSync(at(`dist/assets/${name}`), 'utf8'))
      // Of the package, the bundle has what is imported: the introspection and the keys for the caches, and not the texts of the graph.
      expect(built.join('')).toContain('GroupCourseConnection')
      expect(built.join('')).not.toContain('type GroupCourseConnection')
      files = createServer(({ url = '' }, response) => {
        const { pathname } = new URL(url, 'http://localhost')
        const file = pathname === '/' ? 'index.html' : pathname.slice(1)
        response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain')
        response.end(readFileSync(join(project.folder, 'dist', file)))
      })
      await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
      origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
      world = await World.start({ http: { corsOrigins: [origin] } })
      browser = await launchChromium()
    })
    afterAll(async () => {
      await browser?.close()
      await world?.close()
      files?.close()
    })

    /** What each client shows of a course to the demo user `learner`. */
    async function shown(id: string): Promise<Record<string, string>> {
      const { context, observed } = await openContext(browser)
      const page = await context.newPage()
      const parameters = { url: `${world.gateway.url}/graphql`, authorization: authorizationOf('learner'), id }
      await page.goto(`${origin}/?${new URLSearchParams(parameters)}`)
      await page.waitForFunction(() => document.querySelectorAll('section h1').length === 4)
      const texts = await page
        .locator('section')
        .evaluateAll((all) => all.map((each) => [each.id, (each as HTMLElement).innerText] as const))
      // The first answer to the hash of a document is that it is unknown; the client then sends its text.
      expect(observed.problems.filter((each) => !each.includes('status of 400'))).toEqual([])
      await context.close()
      return Object.fromEntries(texts)
    }

    it('show a partial response with its errors', async () => {
      const title = 'Algebra & Equations – First Steps'
      const part = `${title}\n\ncourse.titleRaw: FORBIDDEN`
      expect(await shown('10001')).toEqual({
        urql: part,
        apollo: part,
        'tanstack-query': part,
        relay: `${title}\n\nThe raw title cannot be shown.`,
      })
    })

    it('show that there is no such course', async () => {
      const none = 'There is no such course.'
      expect(await shown('99999')).toEqual({ urql: none, apollo: none, 'tanstack-query': none, relay: none })
    })
  })
})
