import { execFileSync } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether processes can have an `/etc/resolv.conf` of their own; required where all tests must run. */
export const canResolve = ((): boolean => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    execFileSync('unshare', ['--mount', 'mount', '--bind', '/dev/null', '/etc/resolv.conf'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (process.env.CI === 'true') throw new Error('A mount namespace cannot be made: tests of DNS cannot run.', { cause: error })
    return false
  }
})()

/** A name server of one name, on port 53 of a loopback address. */
export class Resolver {
  /** How often the name was asked for. */
  asked = 0
  private readonly folder = mkdtempSync(join(tmpdir(), 'resolver-'))
  private readonly file = join(this.folder, 'resolv.conf')

  private constructor(
    private readonly socket: Socket,
    host: string,
    /** The IPv4 address of the name. */
    public address: string,
  ) {
    writeFileSync(this.file, `nameserver ${host}\noptions timeout:1\n`)
    socket.on('message', (query, { port, address: client }) => this.socket.send(this.answerTo(query), port, client))
  }

  static async start(host: string, address: string): Promise<Resolver> {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(53, host, resolve))
    return new Resolver(socket, host, address)
  }

  /** The program, and its first arguments, with which a command line sees this resolver. */
  get command(): readonly [string, ...string[]] {
    return ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"', this.file]
  }

  close(): void {
    this.socket.close()
    rmSync(this.folder, { recursive: true })
  }

  /** The answer to a query for one name: its address, with a time to live of a second; no record for other types. */
  private answerTo(query: Buffer): Buffer {
    let end = 12
    while (query[end] !== 0) end += (query[end] as number) + 1
    const question = query.subarray(12, end + 5)
    const isAddress = question.readUInt16BE(question.length - 4) === 1
    if (isAddress) this.asked++
    const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0])
    query.copy(header, 0, 0, 2)
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...this.address.split('.').map(Number)])
    return Buffer.concat([header, question, ...(isAddress ? [record] : [])])
  }
}
