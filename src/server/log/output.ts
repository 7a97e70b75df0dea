import { pino } from 'pino'
import type { PrettyOptions } from 'pino-pretty'
import { type ShownFault, shownFault } from './faults.js'
import type { LOG_FORMATS, LOG_LEVELS } from './levels.js'
import { LogPieces } from './log-pieces.js'
import type { Log } from './request-logger.js'

export interface OutputOptions {
  readonly level: (typeof LOG_LEVELS)[number]
  readonly format: (typeof LOG_FORMATS)[number]
  /** Whether lines for people are in colours. */
  readonly colors: boolean
  /** Whether other processes write to the same place. */
  readonly isShared: boolean
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
/** Milliseconds for which lines are gathered, and how many at most. */
const GATHERED = { json: 100, pretty: 5 }
const BATCH = 64
/** Characters in a piece. What is shared gets pieces that reach a pipe whole, so that the lines of several processes stay apart. */
const PIECE = { alone: 65_536, shared: 4_096 }
/** Bytes that may wait for a reader who is slow; what is more is dropped. */
const MOST_WAITING = 16_000_000

interface Told {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
  /** Milliseconds since 1970. */
  readonly time: number
}

/** Starts a log on the standard output. Lines are made and written some at a time, which costs less than one by one. */
export async function createOutput({ level, format, colors, isShared }: OutputOptions): Promise<Output> {
  const pretty = format === 'pretty' ? await prettifier(colors) : undefined
  const out = new LogPieces(STDOUT, MOST_WAITING)
  const piece = PIECE[isShared ? 'shared' : 'alone']
  let waiting: Told[] = []
  let isTimed = false
  let text = ''
  let time = 0
  const flush = (): void => {
    if (text !== '') out.add(text)
    text = ''
  }
  const write = (line: string): void => {
    const shown = pretty ? pretty(line) : line
    if (text.length + shown.length > piece) flush()
    text += shown
  }
  const formatters = { level: (label: string) => ({ level: label }), bindings: ({ pid }: Record<string, unknown>) => ({ pid }) }
  const log = pino({ level, formatters, timestamp: () => `,"time":${time}` }, { write })
  const handOn = (): void => {
    const lines = waiting
    waiting = []
    for (const line of lines) {
      time = line.time
      log[line.level](line.fields, line.message)
    }
    flush()
  }
  const tell =
    (level: Told['level']) =>
    (fields: object, message: string): void => {
      if (!log.isLevelEnabled(level)) return
      waiting.push({ level, fields, message, time: Date.now() })
      if (waiting.length >= BATCH) handOn()
      if (isTimed) return
      isTimed = true
      setTimeout(() => {
        isTimed = false
        handOn()
      }, GATHERED[format]).unref()
    }
  const error = tell('error')
  return {
    debug: tell('debug'),
    info: tell('info'),
    warn: tell('warn'),
    error,
    isLevelEnabled: (level) => log.isLevelEnabled(level),
    announce: (text: string) => {
      handOn()
      out.add(pretty ? `${text}\n` : `${JSON.stringify({ level: 'info', time: Date.now(), msg: text })}\n`)
    },
    crash: (fault: unknown) => error({ err: shownFault(fault) }, 'crash'),
    end: () => {
      handOn()
      out.end()
    },
  }
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
