import { pino } from 'pino'
import type { PrettyOptions } from 'pino-pretty'
import { type ShownFault, shownFault } from './faults.js'
import type { Log } from './journal.js'
import type { LOG_FORMATS, LOG_LEVELS } from './levels.js'
import { Pieces } from './pieces.js'

export interface OutputOptions {
  readonly level: (typeof LOG_LEVELS)[number]
  readonly format: (typeof LOG_FORMATS)[number]
  /** Whether lines for people are in colours. */
  readonly colors: boolean
}

/** A log on the standard output. */
export interface Output extends Log {
  /** Says something at once, whatever the level, as a line of the log's format. */
  announce(text: string): void
  /** Tells why the process ends. */
  crash(fault: unknown): void
  /** Writes what has been gathered; to be called as the process ends. */
  end(): void
}

const STDOUT = 1
/** Milliseconds for which lines are gathered. */
const GATHERED = { json: 100, pretty: 5 }
/** Pieces of this size reach a pipe whole, so that the lines of several processes stay apart. */
const PIECE = 4_096
/** Bytes that may wait for a reader who is slow; what is more is dropped. */
const MOST_WAITING = 16_000_000

/**
 * Starts a log on the standard output. Lines of JSON are gathered for a moment, which costs much less than to write each.
 */
export async function createOutput({ level, format, colors }: OutputOptions): Promise<Output> {
  const pretty = format === 'pretty' ? await prettifier(colors) : undefined
  const out = new Pieces(STDOUT, MOST_WAITING)
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  const handOn = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (gathered !== '') out.add(gathered)
    gathered = ''
  }
  const write = (line: string): void => {
    const text = pretty ? pretty(line) : line
    if (gathered.length + text.length > PIECE) handOn()
    gathered += text
    if (timer === undefined) timer = setTimeout(handOn, GATHERED[format]).unref()
  }
  const formatters = { level: (label: string) => ({ level: label }), bindings: ({ pid }: Record<string, unknown>) => ({ pid }) }
  const log = pino({ level, formatters }, { write })
  return Object.assign(log, {
    announce: (text: string) => {
      out.add(pretty ? `${text}\n` : `${JSON.stringify({ level: 'info', time: Date.now(), msg: text })}\n`)
    },
    crash: (fault: unknown) => log.error({ err: shownFault(fault) }, 'crash'),
    end: () => {
      handOn()
      out.end()
    },
  })
}

/** Lines for people; loaded only for them. */
async function prettifier(colors: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  const options: PrettyOptions = {
    colorize: colors,
    ignore: 'pid,requestId,operation,kind,outcome,status,duration,calls,codes,method,route,path,bytes',
    messageFormat: ((line: Line) => `${told[line.msg]?.(line) ?? line.msg}${line.requestId ? ` [${line.requestId}]` : ''}`) as never,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  }
  const pretty = prettyFactory(options) as (line: string) => string
  return pretty
}

type Line = { readonly msg: string; readonly err?: ShownFault } & Readonly<Record<string, unknown>>

const counted = (codes: unknown): string =>
  Object.entries((codes ?? {}) as Record<string, number>)
    .map(([code, times]) => ` ${code}${times > 1 ? ` ×${times}` : ''}`)
    .join(',')

/** What is said of a line to people; what it does not say follows it. */
const told: Readonly<Record<string, (line: Line) => string>> = {
  operation: ({ kind, operation, outcome, status, duration, calls, codes }) =>
    `${kind ?? 'request'}${operation === null ? '' : ` ${operation}`}: ${outcome}${counted(codes)} (${status}, ${duration} ms, REST calls: ${calls})`,
  call: ({ method, route, status, duration, bytes }) => `REST call ${method} ${route}: ${status} (${duration} ms, ${bytes} bytes)`,
  request: ({ method, path, status, duration }) => `${method} ${path}: ${status} (${duration} ms)`,
}
