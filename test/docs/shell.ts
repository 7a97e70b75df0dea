import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../docs/.vitepress/pages.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { readPage } from './page.js'

/** The site of all examples. */
const SITE = 'https://example.org'

/** A port in an address of this machine, in a flag or in a variable. */
const PORT = /((?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1\]):|--port[ =]|\bPORT=)(\d{2,5})\b/g

/** Files that readers of every page have: the password of the account of the site, keys of callers, and the folder of operations. */
const FILES: Readonly<Record<string, string>> = {
  'password.txt': 'admin-demo\n',
  'api-keys.txt': 'a-key-of-at-least-sixteen-characters\n',
  ...Object.fromEntries(
    readPage('docs/front-ends/operations.md').blocks.flatMap(({ directive: { name = '' }, text }) =>
      name.startsWith('operations/') ? [[name, text]] : [],
    ),
  ),
}

/** Milliseconds that the commands of a block may take. */
const PATIENCE = 60_000

export interface Ran {
  readonly code: number | null
  /** What the commands print to both outputs, with the addresses of the documentation. */
  readonly printed: string
}

/**
 * Runs the commands of one page in bash, in a folder of their own, in front of an embedded LMS: by default one of the profile `learndash`. `others`
 * has the addresses of other servers, by those of the documentation.
 */
export class Shell {
  private readonly ports: Record<string, number> = {}

  private constructor(
    readonly folder: string,
    private readonly lms: RunningLms,
    private readonly others: Readonly<Record<string, string>>,
  ) {}

  static async start(lms?: RunningLms, others: Readonly<Record<string, string>> = {}): Promise<Shell> {
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-docs-'))
    for (const name of ['bin', 'servers', 'home', 'page']) mkdirSync(join(folder, name))
    const command = fileURLToPath(new URL('lms-graphql.mjs', import.meta.url))
    chmodSync(command, 0o755)
    symlinkSync(command, join(folder, 'bin', 'lms-graphql'))
    const shell = new Shell(folder, lms ?? (await startLms({ profile: 'learndash' })), others)
    for (const [name, text] of Object.entries(FILES)) shell.write(name, text)
    await shell.assign(['4000', '4001'])
    return shell
  }

  /** Writes a file that commands of the page read. */
  write(name: string, text: string): void {
    const file = join(this.folder, 'page', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, this.adapted(text))
  }

  async run(commands: string): Promise<Ran> {
    await this.assign([...commands.matchAll(PORT)].map(([, , port]) => port as string))
    const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${this.adapted(commands)}`], {
      cwd: join(this.folder, 'page'),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      env: {
        PATH: `${join(this.folder, 'bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        HOME: join(this.folder, 'home'),
        DOCS_CLI: join(ROOT, 'dist', 'cli.js'),
        DOCS_SERVERS: join(this.folder, 'servers'),
        DOCS_PORTS: JSON.stringify(this.ports),
      },
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
    const timer = globalThis.setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), PATIENCE)
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    clearTimeout(timer)
    return { code, printed: this.documented(printed) }
  }

  /** Ends the servers and deletes the folder. */
  async close(): Promise<void> {
    const servers = join(this.folder, 'servers')
    const ids = readdirSync(servers)
      .filter((name) => /^\d+$/.test(name))
      .map((name) => Number(readFileSync(join(servers, name), 'utf8')))
    for (const id of ids) end(id, 'SIGTERM')
    for (let waited = 0; ids.some((id) => end(id, 0)) && waited < 200; waited++) await setTimeout(50)
    for (const id of ids) end(id, 'SIGKILL')
    await this.lms.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Finds a free port for each port of the documentation. */
  private async assign(ports: readonly string[]): Promise<void> {
    for (const port of ports) if (Number(port) > 0) this.ports[port] ??= await freePort()
  }

  /** A text of the documentation with the addresses of this machine. */
  adapted(text: string): string {
    const moved = text.replace(PORT, (whole, before, port) => (this.ports[port] === undefined ? whole : `${before}${this.ports[port]}`))
    return this.addresses.reduce((result, [address, real]) => result.replaceAll(address, real), moved)
  }

  /** Shows ports and other servers as the documentation writes them. */
  private documented(text: string): string {
    let result = this.addresses.reduce((shown, [address, real]) => shown.replaceAll(real, address), text)
    for (const [port, free] of Object.entries(this.ports)) result = result.replace(new RegExp(`:${free}\\b`, 'g'), `:${port}`)
    return result
  }

  private get addresses(): [string, string][] {
    return Object.entries({ [SITE]: new URL(this.lms.url).origin, ...this.others })
  }
}

/** Sends a signal; false when there is no such process. */
function end(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal)
  } catch {
    return false
  }
}

/** A port that no server has. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Whether a text contains documented lines: `…` stands for any text of a line, and a line `...` for any lines. */
export function contains(printed: string, documented: string): boolean {
  const lines = documented.trim().split('\n')
  const escaped = (text: string): string =>
    text
      .trim()
      .split(/ *… */)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')
  let pattern = '^'
  for (const line of lines) pattern += line.trim() === '...' ? '(?:.*\\n)*?' : `[ \\t]*${escaped(line)}[ \\t]*\\n`
  return new RegExp(pattern, 'm').test(`${printed.trim()}\n`)
}
