import { z } from 'zod'

/** Where a setting comes from, what it may be, and what it does: one row of the README's table. */
export interface Setting {
  readonly flag: string
  readonly env: string
  /** Stands for the value in `--help`; a setting without it is a switch. */
  readonly value?: string
  readonly commands: readonly Command[]
  readonly schema: z.ZodType
  /** Default as people read it; the value itself is the schema's. */
  readonly otherwise: string
  readonly allowed: string
  readonly description: string
}

export const COMMANDS = ['serve', 'lms', 'schema'] as const
export type Command = (typeof COMMANDS)[number]

const between = (low: number, high: number, otherwise: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(low).max(high))
    .default(otherwise)

const whole = (low: number, high: number) => `a whole number from ${low} to ${high}`

const url = z
  .string()
  .refine(
    (text) =>
      URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '' && new URL(text).search === '',
  )
  .nullable()
  .default(null)

/** Every setting, with its flag, its environment variable, its default and its check. */
export const SETTINGS = {
  upstream: {
    flag: 'upstream',
    env: 'LMS_URL',
    value: 'URL',
    commands: ['serve'],
    schema: url,
    otherwise: 'the embedded LMS',
    allowed: 'an http or https address without user, password or query',
    description: 'REST root of the site, such as https://example.org/wp-json.',
  },
  port: {
    flag: 'port',
    env: 'PORT',
    value: 'NUMBER',
    commands: ['serve', 'lms'],
    schema: between(0, 65_535, 4000),
    otherwise: '4000; lms: 4001',
    allowed: whole(0, 65_535),
    description: 'Port to listen on; 0 takes a free one.',
  },
  host: {
    flag: 'host',
    env: 'HOST',
    value: 'NAME',
    commands: ['serve', 'lms'],
    schema: z
      .string()
      .regex(/^[\w.:-]+$/)
      .default('127.0.0.1'),
    otherwise: '127.0.0.1',
    allowed: 'a host name or address',
    description: 'Host name or address to listen on.',
  },
  maxInFlight: {
    flag: 'max-in-flight',
    env: 'MAX_IN_FLIGHT',
    value: 'NUMBER',
    commands: ['serve'],
    schema: between(1, 1024, 4),
    otherwise: '4',
    allowed: whole(1, 1024),
    description: 'REST calls to the site at a time, over all callers.',
  },
  timeout: {
    flag: 'timeout',
    env: 'UPSTREAM_TIMEOUT',
    value: 'MS',
    commands: ['serve'],
    schema: between(1, 600_000, 20_000),
    otherwise: '20000',
    allowed: whole(1, 600_000),
    description: 'Milliseconds the site may take for the headers of an answer, and for each pause in its body.',
  },
  connectTimeout: {
    flag: 'connect-timeout',
    env: 'UPSTREAM_CONNECT_TIMEOUT',
    value: 'MS',
    commands: ['serve'],
    schema: between(1, 600_000, 5_000),
    otherwise: '5000',
    allowed: whole(1, 600_000),
    description: 'Milliseconds a connection to the site may take.',
  },
  maxResponseBytes: {
    flag: 'max-response-bytes',
    env: 'MAX_RESPONSE_BYTES',
    value: 'NUMBER',
    commands: ['serve'],
    schema: between(1_000, 1_000_000_000, 20_000_000),
    otherwise: '20000000',
    allowed: whole(1_000, 1_000_000_000),
    description: 'Largest answer of the site, in bytes.',
  },
  maxBodyBytes: {
    flag: 'max-body-bytes',
    env: 'MAX_BODY_BYTES',
    value: 'NUMBER',
    commands: ['serve'],
    schema: between(1_000, 100_000_000, 1_000_000),
    otherwise: '1000000',
    allowed: whole(1_000, 100_000_000),
    description: 'Largest body of a request to the gateway, in bytes.',
  },
  shareReads: {
    flag: 'share-reads',
    env: 'SHARE_READS',
    value: 'BOOLEAN',
    commands: ['serve'],
    schema: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .default(true),
    otherwise: 'true',
    allowed: 'true or false',
    description: 'Whether identical reads in flight, with the same credentials, are one call.',
  },
  maxRows: {
    flag: 'max-rows',
    env: 'MAX_ROWS',
    value: 'NUMBER',
    commands: ['serve'],
    schema: between(1, 10_000, 1_000),
    otherwise: '1000',
    allowed: whole(1, 10_000),
    description: 'Largest `first` and `last` of a list.',
  },
  data: {
    flag: 'data',
    env: 'LMS_DATA',
    value: 'FILE',
    commands: ['serve', 'lms'],
    schema: z.string().min(1).nullable().default(null),
    otherwise: 'memory',
    allowed: 'a file name',
    description: 'SQLite file in which the embedded LMS keeps its data.',
  },
  scale: {
    flag: 'scale',
    env: 'LMS_SCALE',
    value: 'NUMBER',
    commands: ['serve', 'lms'],
    schema: between(1, 100, 1),
    otherwise: '1',
    allowed: whole(1, 100),
    description: 'How many times larger the sample school of the embedded LMS is.',
  },
} as const satisfies Record<string, Setting>
