import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { describesHost } from './checks.js'
import { HeldSite } from './host.js'
import { RUNTIMES, type Runtime } from './runtimes.js'

/** Flags before the name of a program. */
const FLAGS: Readonly<Record<Runtime, readonly string[]>> = { bun: [], deno: ['run', '--allow-all'] }
const RECIPES: Readonly<Record<Runtime, string>> = {
  bun: 'test/docs/examples/hosts/bun.mjs',
  deno: 'test/docs/examples/hosts/deno.mjs',
}

const query = async (url: string, text: string): Promise<any> => {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: text }) })).json()
}

for (const { runtime, program, reason } of RUNTIMES)
  describe.skipIf(reason !== '')(`${runtime}${reason}`, () => {
    describe('the recipe', () => describesHost({ command: [program, ...FLAGS[runtime], RECIPES[runtime]], path: '/graphql' }))

    describe('the command', () => {
      const closers: (() => Promise<unknown>)[] = []
      afterEach(async () => {
        for (const close of closers.splice(0).reverse()) await close()
      })
      const start = (argv: readonly string[]): Command => {
        const command = new Command(argv, { HOME: process.env.HOME ?? '' }, FLAGS[runtime], { program })
        closers.push(() => command.stop('SIGKILL'))
        return command
      }

      it('serves in front of the embedded LMS, and ends by itself', async () => {
        const command = start(['--port', '0'])
        const url = await command.address()
        expect(
          (await query(url, '{ course(id: 10001) { lessons(first: 1) { nodes { title } } } }')).data.course.lessons.nodes,
        ).toHaveLength(1)
        const page = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('GraphiQL')])
        expect(await command.stop()).toMatchObject({ code: 0, stderr: '' })
      })

      it('answers running requests before it ends', async () => {
        const site = await HeldSite.start()
        closers.push(() => site.close())
        const command = start(['--port', '0', '--upstream', site.site.url])
        const url = await command.address()
        site.held = 'sfwd-courses'
        const answer = query(url, '{ course(id: 10001) { title } }')
        await expect.poll(() => site.waits).toBe(1)
        command.child.kill('SIGTERM')
        await expect
          .poll(
            () =>
              fetch(url).then(
                () => 'open',
                () => 'closed',
              ),
            { timeout: 10_000 },
          )
          .toBe('closed')
        site.release()
        expect((await answer).data.course.title).toEqual(expect.any(String))
        expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
      })

      it('runs the embedded LMS alone, and ends it', async () => {
        const command = start(['lms', '--port', '0'])
        const response = await fetch(`${await command.address()}/lms/v1/sfwd-courses?per_page=1`)
        expect([response.status, await response.json()]).toEqual([200, [expect.objectContaining({ id: expect.any(Number) })]])
        expect(await command.stop()).toMatchObject({ code: 0, stderr: '' })
      })

      it('prints the subgraph', async () => {
        const { code, stdout } = await start(['schema', '--subgraph']).ended
        const committed = readFileSync(new URL('../../schema/subgraph.graphql', import.meta.url), 'utf8')
        expect([code, stdout === committed]).toEqual([0, true])
      })
    })
  })
