import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { DOCS } from '../../docs/.vitepress/pages.js'

const DIST = `${DOCS}.vitepress/dist`

/** Builds the documentation as `npm run docs` does. Rejects with what the build prints. */
export const buildDocumentation = (): Promise<void> =>
  new Promise((resolve, reject) =>
    execFile(process.execPath, [`${DOCS}node_modules/vitepress/bin/vitepress.js`, 'build', DOCS], (error, out, errors) =>
      error ? reject(new Error(`The documentation cannot be built:\n${out}${errors}`)) : resolve(),
    ),
  )

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
}

/** The file of the built site for a path: itself, a page without its ending, or the index of a folder. */
export const fileOf = (path: string): string | undefined =>
  [path, `${path}.html`, join(path, 'index.html')]
    .map((each) => join(DIST, each))
    .find((file) => file.startsWith(DIST) && existsSync(file) && statSync(file).isFile())

/** A static server, as any host of the documentation would be. */
export interface ServedSite {
  readonly url: string
  close(): Promise<void>
}

export async function serveDocumentation(): Promise<ServedSite> {
  const server = createServer(({ url = '/' }, response) => {
    const file = fileOf(decodeURI(new URL(url, 'http://localhost').pathname))
    if (file === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
