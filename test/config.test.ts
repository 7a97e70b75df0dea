import { describe, expect, it } from 'vitest'
import { type Config, helpText, readConfig } from '../src/config.js'
import { SETTINGS } from '../src/settings.js'

type Env = Record<string, string | undefined>
type Name = keyof typeof SETTINGS

const configOf = (argv: readonly string[], env: Env = {}): Config => {
  const result = readConfig(argv, env)
  if (result.kind !== 'config') throw new Error(JSON.stringify(result))
  return result.config
}

const complaintsOf = (argv: readonly string[], env: Env = {}): readonly string[] => {
  const result = readConfig(argv, env)
  if (result.kind !== 'complaints') throw new Error(JSON.stringify(result))
  return result.complaints
}

interface Row {
  readonly flag: string
  readonly env: string
  readonly otherwise: unknown
  /** Texts that are taken, with what they come to. */
  readonly good: readonly (readonly [string, unknown])[]
  readonly bad: readonly string[]
  /** Part of every complaint about it. */
  readonly allowed: string
  readonly commands: readonly string[]
}

const wholeNumber = (least: number, most: number): Pick<Row, 'good' | 'bad' | 'allowed'> => ({
  good: [
    [String(least), least],
    [String(most), most],
  ],
  bad: [String(least - 1), String(most + 1), '1.5', '1e3', '0x10', ' 5', 'many', '-1', '99999999999999999999'],
  allowed: `a whole number from ${least} to ${most}`,
})

/** Every setting as the README promises it. */
const TABLE: Readonly<Record<Name, Row>> = {
  upstream: {
    flag: '--upstream',
    env: 'LMS_URL',
    otherwise: null,
    good: [
      ['https://example.org/wp-json', 'https://example.org/wp-json'],
      ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ],
    bad: [
      'example.org',
      'ftp://example.org',
      'https://',
      '/wp-json',
      'file:///etc/hosts',
      'http://example.org/?a=1',
      'http://me@example.org',
    ],
    allowed: 'an http or https address without user, password or query',
    commands: ['serve'],
  },
  port: { flag: '--port', env: 'PORT', otherwise: 4000, ...wholeNumber(0, 65_535), commands: ['serve', 'lms'] },
  host: {
    flag: '--host',
    env: 'HOST',
    otherwise: '127.0.0.1',
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
      ['my-host.example', 'my-host.example'],
    ],
    bad: ['two words', 'http://example.org', 'a/b'],
    allowed: 'a host name or address',
    commands: ['serve', 'lms'],
  },
  maxInFlight: { flag: '--max-in-flight', env: 'MAX_IN_FLIGHT', otherwise: 4, ...wholeNumber(1, 1024), commands: ['serve'] },
  timeout: { flag: '--timeout', env: 'UPSTREAM_TIMEOUT', otherwise: 20_000, ...wholeNumber(1, 600_000), commands: ['serve'] },
  connectTimeout: {
    flag: '--connect-timeout',
    env: 'UPSTREAM_CONNECT_TIMEOUT',
    otherwise: 5_000,
    ...wholeNumber(1, 600_000),
    commands: ['serve'],
  },
  maxResponseBytes: {
    flag: '--max-response-bytes',
    env: 'MAX_RESPONSE_BYTES',
    otherwise: 20_000_000,
    ...wholeNumber(1_000, 1_000_000_000),
    commands: ['serve'],
  },
  maxBodyBytes: {
    flag: '--max-body-bytes',
    env: 'MAX_BODY_BYTES',
    otherwise: 1_000_000,
    ...wholeNumber(1_000, 100_000_000),
    commands: ['serve'],
  },
  shareReads: {
    flag: '--share-reads',
    env: 'SHARE_READS',
    otherwise: true,
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['yes', 'TRUE', '1', '0'],
    allowed: 'true or false',
    commands: ['serve'],
  },
  maxRows: { flag: '--max-rows', env: 'MAX_ROWS', otherwise: 1_000, ...wholeNumber(1, 10_000), commands: ['serve'] },
  data: {
    flag: '--data',
    env: 'LMS_DATA',
    otherwise: null,
    good: [['school.db', 'school.db']],
    bad: [],
    allowed: 'a file name',
    commands: ['serve', 'lms'],
  },
  scale: { flag: '--scale', env: 'LMS_SCALE', otherwise: 1, ...wholeNumber(1, 100), commands: ['serve', 'lms'] },
}

const rows = Object.entries(TABLE) as [Name, Row][]

describe('readConfig', () => {
  it('knows exactly these settings', () => {
    expect(Object.keys(SETTINGS).sort()).toEqual(Object.keys(TABLE).sort())
    expect(configOf([])).toEqual({ command: 'serve', ...Object.fromEntries(rows.map(([name, { otherwise }]) => [name, otherwise])) })
  })

  it.each(rows)('%s comes from its flag or its variable, and the flag wins', (name, { flag, env, good }) => {
    for (const [text, value] of good) {
      expect(configOf([flag, text])[name]).toBe(value)
      expect(configOf([`${flag}=${text}`])[name]).toBe(value)
      expect(configOf([], { [env]: text })[name]).toBe(value)
    }
    const [given, wanted] = good.at(-1)!
    expect(configOf([flag, given], { [env]: good[0]![0] })[name]).toBe(wanted)
    expect(configOf([flag, given], { [env]: 'not looked at: ?' })[name]).toBe(wanted)
  })

  it.each(rows)('%s takes an empty variable for none, and an empty flag for wrong', (name, { flag, env, otherwise, allowed }) => {
    expect(configOf([], { [env]: '' })[name]).toBe(otherwise)
    expect(complaintsOf([`${flag}=`])).toEqual([`\`${flag}\` is \`\`; it must be ${allowed}.`])
  })

  it.each(rows)('%s refuses bad values, naming flag or variable, value and what is allowed', (_, { flag, env, bad, allowed }) => {
    for (const value of bad) {
      for (const [complaints, name] of [
        [complaintsOf([`${flag}=${value}`]), flag],
        [complaintsOf([], { [env]: value }), env],
      ] as const) {
        expect(complaints).toHaveLength(1)
        expect(complaints[0]).toMatch(new RegExp(`^\`${name}\` is `))
        expect(complaints[0]).toContain(`; it must be ${allowed}.`)
        if (name !== '--upstream' && name !== 'LMS_URL') expect(complaints[0]).toContain(`\`${value}\``)
      }
    }
    expect(complaintsOf([flag])).toEqual([`\`${flag}\` is without a value; it must be ${allowed}.`])
  })

  it.each(rows)('%s goes with its own commands only', (_, { flag, good, commands }) => {
    for (const command of ['serve', 'lms', 'schema']) {
      const result = readConfig([command, flag, good[0]![0]], {})
      if (commands.includes(command)) expect(result.kind).toBe('config')
      else expect(result).toEqual({ kind: 'complaints', complaints: [`\`${flag}\` does not go with \`${command}\`.`] })
    }
  })

  it('says everything that is wrong at once', () => {
    const argv = ['--port', 'x', '--max-rows=0', '--wrong', '-q', 'serve', 'again', '--timeout']
    const complaints = complaintsOf(argv, { MAX_IN_FLIGHT: '9999', HOST: 'a b' })
    const about = complaints.map((complaint) => /`([^`]*)`/.exec(complaint)?.[1])
    expect(about.sort()).toEqual(['--max-rows', '--port', '--timeout', '--wrong', '-q', 'HOST', 'MAX_IN_FLIGHT', 'again'].sort())
  })

  it.each(['--frobnicate', '--toString', '--constructor', '--__proto__', '-x', '--Port', '--no-port'])(
    'refuses the unknown flag %s',
    (flag) => {
      expect(complaintsOf([flag])).toEqual([`\`${flag}\` is no flag; \`--help\` lists them.`])
    },
  )

  it('refuses unknown commands and words too many', () => {
    expect(complaintsOf(['start'])).toEqual(['`start` is no command; there are serve, lms, schema.'])
    expect(complaintsOf(['serve', 'lms', 'schema'])).toHaveLength(2)
  })

  it('takes a following flag for a missing value, not for the value', () => {
    expect(complaintsOf(['--port', '--host']).join()).toContain('`--port` is ')
  })

  it('never echoes what may be a secret', () => {
    const cases: [string[], Env][] = [
      [['--upstream', 'https://admin:s3cret@example.org/wp-json'], {}],
      [['--upstream', 'https://example.org/wp-json?token=s3cret'], {}],
      [['--upstream', 'ftp://admin:s3cret@example.org'], {}],
      [['--upstream', 'admin:s3cret@example.org'], {}],
      [[], { LMS_URL: 'https://admin:s3cret@example.org/wp-json' }],
      [['--password', 's3cret'], {}],
      [['--token=s3cret'], {}],
    ]
    for (const [argv, env] of cases) expect(complaintsOf(argv, env).join('\n')).not.toContain('s3cret')
  })

  it('listens on 4001 for the LMS alone unless told otherwise', () => {
    expect(configOf(['lms']).port).toBe(4001)
    expect(configOf(['lms', '--port', '0']).port).toBe(0)
    expect(configOf(['lms'], { PORT: '' }).port).toBe(4001)
    expect(configOf(['lms'], { PORT: '5000' }).port).toBe(5000)
  })

  it('is frozen', () => {
    const config = configOf([])
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('lets --help and --version go before everything', () => {
    for (const flag of ['--help', '-h']) expect(readConfig(['serve', flag, '--port', 'x'], {})).toEqual({ kind: 'help' })
    for (const flag of ['--version', '-v']) expect(readConfig([flag, '--wrong'], {})).toEqual({ kind: 'version' })
  })
})

describe('helpText', () => {
  it('tells of every setting: flag, variable and default', () => {
    for (const { flag, env, otherwise } of Object.values(SETTINGS)) {
      const line = helpText()
        .split('\n')
        .find((each) => each.trimStart().startsWith(`--${flag} `))
      expect(line).toContain(`${env}; default: ${otherwise}`)
    }
  })
})
