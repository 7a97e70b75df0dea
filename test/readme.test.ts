import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = new URL('..', import.meta.url)

/** The line that `docs/getting-started.md` shows. */
const LINE = /^lms-graphql: GraphiQL .*$/m.exec(readFileSync(new URL('docs/getting-started.md', root), 'utf8'))?.[0]

it('`npm start` of the README starts the gateway with its page, in front of the embedded LMS', async () => {
  expect(readFileSync(new URL('README.md', root), 'utf8')).toContain('npm install && npm start\n')
  const child = spawn('npm', ['start'], {
    cwd: fileURLToPath(root),
    env: { ...process.env, PORT: '0', NODE_ENV: 'development' },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    let printed = ''
    for await (const text of child.stdout.setEncoding('utf8')) {
      printed += text
      if (printed.includes('/graphql')) break
    }
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
    expect(printed.split('\n').at(-2)?.replace(address, 'http://127.0.0.1:4000').replace(/\d+$/, '4001')).toBe(LINE)
    const page = await fetch(`${address}/graphql`, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const scripts = [...(await page.text()).matchAll(/src="([^"]+\.js)"/g)].map(([, path]) => path as string)
    expect(scripts.length).toBeGreaterThan(0)
    for (const path of scripts) expect((await fetch(new URL(path, `${address}/graphql`))).status).toBe(200)
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ group(id: 1009) { title } }' }),
    })
    expect(await response.json()).toEqual({ data: { group: { title: 'Class 7a “Otters”' } } })
  } finally {
    // npm starts further processes in the same process group.
    process.kill(-(child.pid as number))
  }
})
