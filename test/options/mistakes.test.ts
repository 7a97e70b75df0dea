import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createGateway, startGateway } from '../../src/index.js'
import { startLms } from '../../src/lms/index.js'
import { COMMANDS } from '../../src/options/option.js'
import { ENTRIES, entryAt } from '../../src/options/table.js'
import { besideOf, goodOf, KEYS, OLD_SECRET, SECRET, variablesOf, withOption } from './samples.js'
import { bare, complaintsAbout, complaintsOf, optionsOf, programComplaints } from './setup.js'

const SITE = { site: { url: 'https://lms.example.org' } }
const KNOWN = 'Known here: site, network, access, protection, limits, cache, redis, hooks, http, observe, subgraph, lms.'

describe('a command line', () => {
  it.each<[string, string]>([
    ['--prot 1', '`--prot` is not a flag; did you mean `--port`?'],
    ['--Port=1', '`--Port` is not a flag; did you mean `--port`?'],
    ['lms --upsteam=https://example.org', '`--upsteam` is not a flag; `--help all` lists them.'],
    ['--path /x', '`--path` is not a flag; `--help all` lists them.'],
    ['--__proto__', '`--__proto__` is not a flag; `--help all` lists them.'],
    ['--toString', '`--toString` is not a flag; `--help all` lists them.'],
    ['--no-port', '`--no-port` is not a flag; `--help all` lists them.'],
    ['-x', '`-x` is not a flag; `--help all` lists them.'],
    ['docter', '`docter` is not a command; did you mean `doctor`?'],
    ['start', `\`start\` is not a command. Commands are ${COMMANDS.join(', ')}.`],
    ['serve again', '`again` is unexpected after the command.'],
    ['check one two', '`two` is unexpected after the folder.'],
    ['schema folder', '`folder` is unexpected after the command.'],
    ['--open -- true', `\`true\` is not a command. Commands are ${COMMANDS.join(', ')}.`],
    ['serve --write x', '`--write` is a flag of `doctor`, not of `serve`.'],
    ['lms --max-rows 5', '`--max-rows` is a flag of `serve`, not of `lms`.'],
    ['schema --port 5', '`--port` is a flag of `serve` and `lms`, not of `schema`.'],
    ['--host --open', '`--host` has no value; it must be a host name or address.'],
    [
      '--lms-password s3cret',
      '`--lms-password` is not a flag; lists of processes show command lines. Set `LMS_PASSWORD`, or `--lms-password-file`.',
    ],
    [
      '--upstream example.org',
      `\`--upstream\` is \`example.org\`; it must be ${entryAt('site.url').allowed}. Did you mean \`https://example.org\`?`,
    ],
    [
      '--upstream localhost:4001/wp-json',
      `\`--upstream\` is \`localhost:4001/wp-json\`; it must be ${entryAt('site.url').allowed}. Did you mean \`http://localhost:4001/wp-json\`?`,
    ],
    ['--timeout 20s', '`--timeout` is `20s`; it must be a whole number of milliseconds from 1 to 600000.'],
  ])('is refused with one sentence: %s', (line, complaint) => {
    expect(complaintsOf(line.split(' '))).toEqual([complaint])
  })

  it('has the name of a folder after `check` and `usage`, wherever the flags are', () => {
    for (const argv of [
      ['check', 'operations', '--unused'],
      ['--format', 'json', 'check', '--unused', 'operations'],
      ['usage', '--format=json', 'operations'],
    ])
      expect(optionsOf(argv).directory).toBe('operations')
    expect(optionsOf(['check', '--unused', 'true']).directory).toBeUndefined()
  })

  it('is refused with all sentences at once, also those about variables', () => {
    const argv = ['--port', 'x', '--max-rows=0', '--wrong', '-q', 'serve', 'again', '--timeout']
    const complaints = complaintsOf(argv, { MAX_IN_FLIGHT: '9999', HOST: 'a b' })
    expect(complaints.map((each) => /`([^`]*)`/.exec(each)?.[1]).toSorted()).toEqual(
      ['--max-rows', '--port', '--timeout', '--wrong', '-q', 'HOST', 'MAX_IN_FLIGHT', 'again'].toSorted(),
    )
  })

  it.each(ENTRIES.flatMap((entry) => (entry.kind === 'boolean' && entry.flag ? [[entry.flag, entry] as const] : [])))(
    'may have --%s alone, with a word, or with a text',
    (flag, entry) => {
      const value = (...argv: string[]) =>
        (optionsOf([entry.commands[0] as string, ...argv], variablesOf(besideOf(entry))).options as any)[entry.area as string][entry.name]
      expect([value(`--${flag}`), value(`--${flag}`, 'true'), value(`--${flag}=true`)]).toEqual([true, true, true])
      expect([value(`--${flag}`, 'false'), value(`--${flag}=false`)]).toEqual([false, false])
    },
  )

  it('does not take the next flag or command as the value of a flag that may stand alone', () => {
    expect(optionsOf(['--graphiql', '--port', '4109']).options.http).toMatchObject({ graphiql: true, port: 4_109 })
    expect(optionsOf(['--open', 'serve'])).toMatchObject({ command: 'serve', options: { access: { open: true } } })
    expect(optionsOf(['--metrics', '9464']).options.observe.metrics).toBe(9_464)
    expect(optionsOf(['--metrics']).options.observe.metrics).toBe(true)
    expect(optionsOf(['lms', '--control', 'true', '--control', 'false']).options.lms.control).toBe(false)
  })
})

describe('a variable', () => {
  const warningsOf = (...names: string[]) => optionsOf([], Object.fromEntries(names.map((name) => [name, 's3cret']))).warnings

  it.each([
    ['LMS_URl', 'LMS_URL'],
    ['LMS_UPSTREAM', 'LMS_URL'],
    ['GATEWAY_KEYS', 'GATEWAY_API_KEYS'],
    ['MAX_ROW', 'MAX_ROWS'],
    ['CACHE_SECRT', 'CACHE_SECRET'],
    ['HTTPS_PROX', 'HTTPS_PROXY'],
    ['no_proxi', 'NO_PROXY'],
  ])('that begins like ours and is probably misspelt is a warning without its value: %s', (name, meant) => {
    expect(warningsOf(name)).toEqual([`\`${name}\` is not a setting; did you mean \`${meant}\`?`])
  })

  it('is named with the complaints too: what is missing may be in it', () => {
    expect(complaintsOf(['doctor'], { LMS_UPSTREAM: 's3cret' })).toEqual([
      '`doctor` needs a site: set `--upstream` or `LMS_URL`.',
      '`LMS_UPSTREAM` is not a setting; did you mean `LMS_URL`?',
    ])
  })

  it('of other programs is ignored, also those that Kubernetes sets for services', () => {
    expect(warningsOf('LMS_FRONT_BIND', 'LMS_EGRESS_LOG', 'LMSTAT', 'HTTP_PROXY', 'TERM_PROGRAM', 'LOG_FILE', 'HOSTNAME')).toEqual([])
    expect(warningsOf('LMS_PORT', 'LMS_SERVICE_HOST', 'REDIS_PORT', 'REDIS_PORT_6379_TCP', 'REDIS_SERVICE_PORT')).toEqual([])
    expect(optionsOf([], { PATH: '/usr/bin:/bin' }).options.http.path).toBeUndefined()
  })

  it('of an option that the command does not have is ignored', () => {
    expect(optionsOf(['lms'], { LMS_USER: 'a:b', LMS_PASSWORD_FILE: 'missing', JWT_KEY: 'short' }).options.site.user).toBeUndefined()
  })
})

describe('a settings file', () => {
  it('is refused with all sentences at once, each with key and line', () => {
    const text = `http:
  port: x
  prot: 1
limits: { maxRows: 0, max-calls: 5 }
LMS_URL: https://example.org
maxCalls: 5
site:
  maxTokens: 5
  unbatched: [Quiz, 7]
  pageCap: { is: 5 }
  password: 17
cahce:
  maxAge: 1
redis: 5
observe:
  colour: blue
http.path: /x
${'k'.repeat(200)}: 1
"a\\e\\n": 1
`
    const at = (key: string, line: number) => `\`${key}\` (etc/lms.yaml, line ${line})`
    expect(complaintsAbout(text, 'etc/lms.yaml', ['--wrong', '--lms-user=x', '--open'])).toEqual([
      '`--wrong` is not a flag; `--help all` lists them.',
      `${at('http.prot', 3)} is not an option; did you mean \`http.port\`?`,
      `${at('limits.max-calls', 4)} is not an option; did you mean \`limits.maxCalls\`?`,
      `${at('LMS_URL', 5)} is not an option; did you mean \`site.url\`?`,
      `${at('maxCalls', 6)} is not an option; did you mean \`limits.maxCalls\`?`,
      `${at('site.maxTokens', 8)} is not an option; did you mean \`limits.maxTokens\`?`,
      `${at('cahce', 12)} is not an option; did you mean \`cache\`?`,
      `${at('redis', 14)} must be an object of options, such as \`redis: { url: … }\`.`,
      `${at('observe.colour', 16)} is not an option. Known here: logLevel, logFormat, logVariables, logCallers, metrics, explainFor.`,
      `\`http.path\` (etc/lms.yaml) is not an option. ${KNOWN}`,
      `${at('k'.repeat(60), 18)} is not an option. ${KNOWN}`,
      `${at('a  ', 19)} is not an option. ${KNOWN}`,
      `${at('site.password', 11)} is wrong; it must be a text of one line, in quotes.`,
      `${at('site.pageCap', 10)} is an object; it must be a whole number from 1 to 1000.`,
      `${at('site.unbatched', 9)} has \`7\`, item 2; it must be a list of types such as Quiz.`,
      `${at('limits.maxRows', 4)} is \`0\`; it must be a whole number from 1 to 10000.`,
      `${at('http.port', 2)} is \`x\`; it must be a whole number from 0 to 65535.`,
    ])
  })

  it('has no options of programs, and nothing that every object has', () => {
    expect(complaintsAbout('http: { path: /x }')).toEqual([
      '`http.path` (lms.yaml, line 1) is an option of programs, not of settings files.',
    ])
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(complaintsAbout(`${name}: 1`)).toEqual([`\`${name}\` (lms.yaml, line 1) is not an option. ${KNOWN}`])
      expect(complaintsAbout(`http: { ${name}: 1 }`)).toEqual([
        expect.stringContaining(`\`http.${name}\` (lms.yaml, line 1) is not an option`),
      ])
    }
  })
})

describe('createGateway and startGateway', () => {
  const message = async (create: (options: any) => unknown, options: unknown): Promise<string> => {
    try {
      await create(options)
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError)
      return (error as Error).message
    }
    throw new Error('Nothing is wrong.')
  }

  it('name everything that is wrong at once, after their own name', async () => {
    const options = { upstream: 'x', maxRows: 1, colour: 1, limits: { maxRow: 1 }, http: { port: -1, host: 'x' }, lms: { data: 'x' } }
    const others = 'site, network, access, protection, limits, cache, redis, hooks, http, observe, subgraph, resources, log, on, production'
    const common = [
      '`upstream` is not an option; did you mean `site.url`?',
      '`maxRows` is not an option; did you mean `limits.maxRows`?',
      `\`colour\` is not an option. Known here: ${others}.`,
      '`limits.maxRow` is not an option; did you mean `limits.maxRows`?',
    ]
    const lms = '`lms.data` is an option of the command, not of programs.'
    const site = 'The gateway needs a site: set `site.url`.'
    const elsewhere = 'is an option of `startGateway` and of the command, not of `createGateway`.'
    expect(await message(createGateway, options)).toBe(
      `createGateway: ${[...common, `\`http.port\` ${elsewhere}`, `\`http.host\` ${elsewhere}`, lms, site].join('\n')}`,
    )
    expect(await message(startGateway, options)).toBe(
      `startGateway: ${[...common, lms, '`http.port` is `-1`; it must be a whole number from 0 to 65535.', site].join('\n')}`,
    )
  })

  it.each([undefined, null, 'https://example.org', []])('refuse %j instead of options', async (options) => {
    for (const create of [createGateway, startGateway])
      expect(await message(create, options)).toBe(`${create.name}: The options must be an object, such as \`{ site: { url: … } }\`.`)
  })

  it('take undefined for every option that is not required, and undefined for areas', async () => {
    const areas = [...new Set(ENTRIES.filter(({ only }) => only === undefined).map(({ area }) => area as string))]
    const sections = areas.map((area) => [
      area,
      Object.fromEntries(ENTRIES.filter((entry) => entry.area === area && entry.only === undefined).map(({ name }) => [name, undefined])),
    ])
    await createGateway({ ...Object.fromEntries(sections), site: { ...SITE.site } }).close()
    await createGateway({ ...Object.fromEntries(areas.map((area) => [area, undefined])), ...SITE }).close()
  })
})

describe('startLms', () => {
  it.each<[object, string[]]>([
    [
      { porrt: 1, scale: 101, control: 'yes' },
      [
        '`scale` is `101`; it must be a whole number from 1 to 100.',
        '`control` is a text; it must be true or false.',
        '`porrt` is not an option; did you mean `port`?',
      ],
    ],
    [
      { profile: 'moodle', switches: { wrkers: 2 } },
      ['The profile is `moodle`; it must be one of lms, learndash, learndash-5.', 'There is no switch `wrkers`. Did you mean workers?'],
    ],
    [{ switches: 'workers=2' }, ['`switches` is a text; it must be an object.']],
  ])('names what is wrong with %j', async (options, complaints) => {
    await expect(startLms(options)).rejects.toThrow(new TypeError(`startLms: ${complaints.join('\n')}`))
  })
})

describe('a secret', () => {
  const hidden = ENTRIES.filter((entry) => entry.hidden)

  it('is one of these options, or close to one', () => {
    const ofNetwork = ['network.httpsProxy', 'network.httpProxy', 'network.clientKey']
    const ofSite = ['site.password', 'site.editorPassword']
    const others = ['access.apiKeys', 'access.jwtKey', 'cache.secret', 'redis.url', 'hooks.secret', 'hooks.forwardSecret']
    const secrets = [...others, ...ofSite, ...ofNetwork]
    expect(ENTRIES.flatMap(({ secret, path }) => (secret ? path : [])).toSorted()).toEqual(secrets.toSorted())
    const files = secrets.map((path) => `${path}File`)
    expect(hidden.map(({ path }) => path).toSorted()).toEqual(
      [...secrets, ...files, 'site.user', 'site.editorUser', 'hooks.forward', 'network.ca', 'network.clientCert'].toSorted(),
    )
  })

  it('is never quoted, however it is given', () => {
    const lines: [string[], Record<string, string>][] = [
      ...hidden.flatMap(({ flag, env, secret }): [string[], Record<string, string>][] => [
        [flag === undefined ? [] : [`--${flag}=s3cret:\n`], {}],
        [[], { [env as string]: 's3cret:\n' }],
        ...(secret ? [[[], { [`${env}_FILE`]: 's3cret' }] as [string[], Record<string, string>]] : []),
      ]),
      [['--upstream', 'https://admin:s3cret@example.org/wp-json'], {}],
      [['--upstream', 'https://example.org/wp-json?token=s3cret'], {}],
      [['--upstream', 'admin:s3cret@example.org'], {}],
      [['--password', 's3cret'], {}],
      [['--token=s3cret'], {}],
      [['--lms-password', 's3cret'], {}],
      [[], { JWT_JWKS_URL: 'ftp://me:s3cret@example.org/keys' }],
    ]
    for (const [argv, env] of lines) expect(complaintsOf(argv, env).join('\n')).not.toContain('s3cret')
    for (const { area, name } of hidden) {
      for (const value of [
        '"s3cret:\\n"',
        '[s3cret, 1]',
        '{s3cret: s3cret}',
        '&s3cret "\\t"',
        '!s3cret x',
        '"s3cret',
        '*s3cret',
        '\n s3cret: x',
      ])
        expect(complaintsAbout(`${area}: {${name}: ${value}}`).join(), `${name}: ${value}`).not.toContain('s3cret')
      for (const value of ['s3cret:\n', ['s3cret', 1], { s3cret: 's3cret' }])
        expect(programComplaints({ ...SITE, [area as string]: { ...(area === 'site' && SITE.site), [name]: value } }).join()).not.toContain(
          's3cret',
        )
    }
  })

  it('in a file is its text without the last line break; a list has an item in each line', () => {
    const files = {
      'password.txt': 'abcd efgh\r\n',
      'keys.txt': `${KEYS[0]}\r\n\n${KEYS[1]}\n`,
      'secrets.txt': `${SECRET}\n\n${OLD_SECRET}\n`,
    }
    const { options } = optionsOf(
      ['--lms-password-file=password.txt', '--lms-user=x', '--gateway-api-keys-file=keys.txt', '--cache=60'],
      {
        HOOK_SECRET_FILE: 'secrets.txt',
        CACHE_SECRET_FILE: 'secrets.txt',
      },
      files,
    )
    expect(bare([options.site.password, options.access.apiKeys, options.hooks.secret, options.cache.secret])).toEqual([
      'abcd efgh',
      KEYS,
      [SECRET, OLD_SECRET],
      [SECRET, OLD_SECRET],
    ])
  })

  it.each([
    ['missing.txt', 'The file that `LMS_PASSWORD_FILE` names does not exist.'],
    ['empty.txt', 'The file that `LMS_PASSWORD_FILE` names is empty.'],
    ['lines.txt', 'The file that `LMS_PASSWORD_FILE` names does not contain a text of one line.'],
  ])('in a wrong file is refused without name and content: %s', (path, complaint) => {
    const files = { 'empty.txt': '\n', 'lines.txt': 's3cret\nsecond\n' }
    expect(complaintsOf([], { LMS_USER: 'admin', LMS_PASSWORD_FILE: path, GATEWAY_OPEN: 'true' }, files)).toEqual([complaint])
  })

  it('is taken from the first source that has it, in a file or not', () => {
    const files = { 'keys.txt': 'key-of-the-flag-0123', 'lms.yaml': 'access:\n  apiKeys: key-of-the-settings-0123\n' }
    const keysOf = (argv: readonly string[], env = {}): unknown =>
      bare(optionsOf(['--config', 'lms.yaml', ...argv], env, files).options.access.apiKeys)
    expect(keysOf(['--gateway-api-keys-file', 'keys.txt'])).toEqual(['key-of-the-flag-0123'])
    expect(keysOf([], { GATEWAY_API_KEYS: 'key-of-the-variable-0123' })).toEqual(['key-of-the-variable-0123'])
    expect(keysOf([])).toEqual(['key-of-the-settings-0123'])
  })

  it('is not given twice', () => {
    const env = { LMS_USER: 'x', LMS_PASSWORD: 'x', LMS_PASSWORD_FILE: 'x.txt', GATEWAY_OPEN: 'true' }
    expect(complaintsOf([], env, { 'x.txt': 'x' })).toEqual(['`LMS_PASSWORD_FILE` and `LMS_PASSWORD` are both set; drop `LMS_PASSWORD`.'])
  })

  it.each(ENTRIES.filter(({ secret }) => secret).map((entry) => [entry.path, entry] as const))(
    'is not printed with the options: %s',
    (_, entry) => {
      const { options } = optionsOf([], { ...variablesOf(withOption(besideOf(entry), entry, goodOf(entry)[0]?.value)) })
      const texts = [goodOf(entry)[0]?.value].flat() as string[]
      for (const text of [
        JSON.stringify(options),
        inspect(options, { depth: 9, showHidden: true }),
        `${(options as any)[entry.area as string][entry.name]}`,
      ]) {
        expect(text).toContain('[secret]')
        for (const each of texts) expect(text).not.toContain(each)
      }
    },
  )
})
