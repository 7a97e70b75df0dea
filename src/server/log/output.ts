import { pino } from 'pino'
import type { PrettyOptions } from 'pino-pretty'
import type { LOG_FORMATS, LOG_LEVELS } from '../../options/observe.js'
import { type ShownFault, shownFault } from './event-log.js'
import type { Log } from './levels.js'
import { LogPieces } from './log-pieces.js'

export interface OutputOptions {
  readonly level: (typeof LOG_LEVELS)[number]
  readonly format: (typeof LOG_FORMATS)[number]
  /** Whether `pretty` lines are coloured. */
  readonly colors: boolean
}

/** A log on the standard output. */
export interface Output extends Log {
  /** The level from which lines are written. It can be changed. */
  level: OutputOptions['level']
  /** Writes a line immediately, at any level, in the format of the log. */
  announce(text: string): void
  /** Logs why the process ends. */
  crash(fault: unknown): void
  /** Writes all gathered lines. Call it when the process ends. */
  end(): void
}

const STDOUT = 1
/** Milliseconds for which lines are gathered, and their largest number. */
const GATHERED = { json: 100, pretty: 5 }
const BATCH = 256
/** Characters in a piece. */
const PIECE = 65_536
/** Bytes that may wait for a slow reader; more is dropped. */
const MOST_WAITING = 16_000_000

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
  /** Milliseconds since 1970. */
  readonly time: number
}

/** Starts a log on the standard output. Lines are formatted and written in batches, which costs less. */
export async function createOutput({ level, format, colors }: OutputOptions): Promise<Output> {
  const pretty = format === 'pretty' ? await prettifier(colors) : undefined
  const shownLine = (line: string): string => (pretty ? pretty(line) : line)
  const out = new LogPieces(STDOUT, MOST_WAITING, (droppedLines) => {
    const line = { level: 'warn', time: Date.now(), droppedLines, msg: 'lines of the log were dropped' }
    return shownLine(`${JSON.stringify(line)}\n`)
  })
  let waiting: LogLine[] = []
  let isTimed = false
  let text = ''
  let lines = 0
  let time = 0
  const flush = (): void => {
    if (text !== '') out.add(text, lines)
    text = ''
    lines = 0
  }
  const write = (line: string): void => {
    const shown = shownLine(line)
    if (text.length + shown.length > PIECE) flush()
    text += shown
    lines++
  }
  const formatters = { level: (label: string) => ({ level: label }), bindings: ({ pid }: Record<string, unknown>) => ({ pid }) }
  const log = pino({ level, formatters, timestamp: () => `,"time":${time}` }, { write })
  const writeWaiting = (): void => {
    const lines = waiting
    waiting = []
    for (const line of lines) {
      time = line.time
      log[line.level](line.fields, line.message)
    }
    flush()
  }
  const logAt =
    (level: LogLine['level']) =>
    (fields: object, message: string): void => {
      if (!log.isLevelEnabled(level)) return
      waiting.push({ level, fields, message, time: Date.now() })
      if (waiting.length >= BATCH) writeWaiting()
      if (isTimed) return
      isTimed = true
      setTimeout(() => {
        isTimed = false
        writeWaiting()
      }, GATHERED[format]).unref()
    }
  const error = logAt('error')
  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error,
    isLevelEnabled: (level) => log.isLevelEnabled(level),
    get level() {
      return log.level as OutputOptions['level']
    },
    set level(level) {
      log.level = level
    },
    get droppedLines() {
      return out.dropped
    },
    announce: (text: string) => {
      writeWaiting()
      out.add(pretty ? `${text}\n` : `${JSON.stringify({ level: 'info', time: Date.now(), msg: text })}\n`, 1)
    },
    crash: (fault: unknown) => error({ err: shownFault(fault) }, 'crash'),
    end: () => {
      writeWaiting()
      out.end()
    },
  }
}

/** Formats `pretty` lines. The library is loaded only for them. */
async function prettifier(colors: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  const options: PrettyOptions = {
    colorize: colors,
    ignore:
      'pid,requestId,client,caller,field,type,id,operation,kind,outcome,status,duration,calls,codes,method,route,path,bytes,reason,failures',
    // The cast: the types of pino-pretty know lines by their text only.
    messageFormat: ((line: Line) => `${SENTENCES[line.msg]?.(line) ?? line.msg}${senderOf(line)}`) as never,
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

const senderOf = ({ requestId, client, caller }: Line): string =>
  `${caller ? ` by ${caller}` : ''}${client ? ` from ${client}` : ''}${requestId ? ` [${requestId}]` : ''}`

/** Lines as sentences, by their message. Fields that are not in the sentence follow it. */
const SENTENCES: Readonly<Record<string, (line: Line) => string>> = {
  operation: ({ kind, operation, outcome, status, duration, calls, codes }) =>
    `${kind ?? 'request'}${operation === null ? '' : ` ${operation}`}: ${outcome}${counted(codes)} (${status}, ${duration} ms, REST calls: ${calls})`,
  mutation: ({ field, type, id, outcome }) => `${field} of ${type}${id === null ? '' : ` ${id}`}: ${outcome}`,
  call: ({ method, route, status, duration, bytes }) => `REST call ${method} ${route}: ${status} (${duration} ms, ${bytes} bytes)`,
  'call failed': ({ method, route, status, duration, reason, failures }) =>
    `REST call ${method} ${route} failed: ${reason} (${status}, ${duration} ms, failures: ${failures})`,
  'site outage': ({ reason, failures, duration }) =>
    `The site is out: ${failures} REST calls in a row failed in ${duration} ms, last by ${reason}`,
  'site answers again': ({ failures, duration }) => `The site answers again, after ${duration} ms and ${failures} failed REST calls`,
  request: ({ method, path, status, duration }) => `${method} ${path}: ${status} (${duration} ms)`,
}
