import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../../src/settings/config.js'
import { writeConfigFile } from '../../src/settings/config-file.js'
import type { Setting } from '../../src/settings/setting.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { complaintsOf, configOf, type Env, type Files, read } from './file-setup.js'
import { type FileName, VALUES } from './file-values.js'
import { bare } from './setup.js'

const ACCOUNT = { LMS_USER: 'admin', LMS_PASSWORD: 'x' }
const TOKENS = { ...ACCOUNT, JWT_JWKS_URL: 'https://example.org/keys', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }

/** What a setting is of no use without. */
function beside(name: string): Env {
  const { env, fills } = SETTINGS[name as FileName] as Setting
  const others: Env = /^lms(User|Pass)/.test(name)
    ? { ...ACCOUNT, GATEWAY_OPEN: 'true' }
    : name.startsWith('jwt')
      ? TOKENS
      : name === 'onlyTrusted' || name === 'httpMaxAge'
        ? { TRUSTED_DOCUMENTS: 'trusted.json' }
        : name === 'metricsHost'
          ? { METRICS_PORT: '9464' }
          : /^(cache.|staleWhile)/.test(name)
            ? { CACHE: '60' }
            : /^redis[^U]/.test(name)
              ? { REDIS_URL: 'redis://127.0.0.1' }
              : name === 'hookForward'
                ? { HOOK_FORWARD_SECRET: 'x'.repeat(32) }
                : name.startsWith('hookForward')
                  ? { HOOK_FORWARD: 'https://example.org' }
                  : {}
  const instead = [env, fills && (SETTINGS[fills as FileName] as Setting).env, /^jwtKey/.test(name) ? 'JWT_JWKS_URL' : undefined]
  return Object.fromEntries(Object.entries(others).filter(([each]) => !instead.includes(each)))
}

/** Files that settings name. */
const NAMED: Files = {
  'password.txt': 'x',
  'keys.txt': 'first-key-0123456789',
  'key.txt': 'k'.repeat(32),
  'cache.txt': 'c'.repeat(32),
  'secret.txt': 's'.repeat(32),
  'redis.txt': 'redis://a',
}

const names = Object.keys(VALUES) as FileName[]

/** The command that takes a setting from a file: the gateway, unless only the embedded LMS takes it. */
const commandOf = (name: FileName): string => {
  const { commands } = SETTINGS[name] as Setting
  return commands.includes('lms') && !commands.includes('serve') ? 'lms' : 'serve'
}

describe('a configuration file', () => {
  it('can have every setting except its own name', () => {
    expect(names.toSorted()).toEqual(
      Object.keys(SETTINGS)
        .filter((name) => name !== 'configFile')
        .toSorted(),
    )
    expect(complaintsOf('configFile: x')).toEqual([expect.stringMatching(/^`configFile` \(lms.yaml, line 1\) is not a setting; /)])
  })

  it('names settings like flags, and those without a flag like variables', () => {
    const camelCase = (name: string) => name.toLowerCase().replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
    const others = names.filter((name) => {
      const { flag, env } = SETTINGS[name] as Setting
      return camelCase(flag ?? env) !== name
    })
    expect(others).toEqual([])
  })

  /** `schema` and `supergraph` read no file: their settings have no effect there. */
  const effective = names.filter((name) =>
    (SETTINGS[name] as Setting).commands.some((command) => command !== 'schema' && command !== 'supergraph'),
  )

  it.each(effective)('gives %s, in JSON and in YAML, as a flag would', (name) => {
    for (const value of VALUES[name]) {
      const env = Array.isArray(value) ? value.join() || 'none' : String(value)
      const wanted = read(NAMED, [commandOf(name)], { ...beside(name), [SETTINGS[name].env]: env })
      if (wanted.kind !== 'config') throw new Error(JSON.stringify(wanted))
      for (const path of ['lms.json', 'lms.yaml', 'lms.yml', 'lms.conf']) {
        const result = read(
          { ...NAMED, [path]: JSON.stringify({ [name]: value }, null, '\t') },
          [commandOf(name), '--config', path],
          beside(name),
        )
        if (result.kind !== 'config') throw new Error(JSON.stringify(result))
        expect(bare(result.config[name])).toEqual(bare(wanted.config[name]))
        expect(result.config[name]).not.toEqual(SETTINGS[name].schema.parse(undefined))
      }
    }
  })

  it.each(effective)('reads back a written %s', (name) => {
    for (const value of VALUES[name]) {
      const text = writeConfigFile({ [name]: value })
      expect(text).toContain(`# ${SETTINGS[name].description}\n${name}:`)
      const result = read({ ...NAMED, 'lms.yaml': text }, [commandOf(name), '--config=lms.yaml'], beside(name))
      if (result.kind !== 'config') throw new Error(JSON.stringify(result))
      const [first] = VALUES[name]
      if (value === first) expect(bare(result.config[name])).toEqual(value)
    }
  })

  it('is written from a configuration, and reads back as the same', () => {
    const config = configOf('preset: learndash\nunbatched: [courses]\nmissingColumns: []\nport: 0\ngraphiql: false\nfieldFilter: none')
    // Secrets are no texts there, and what tells of tokens is of no use without them.
    const {
      command,
      configFile,
      gatewayApiKeys,
      lmsPassword,
      cacheSecret,
      redisUrl,
      hookSecret,
      hookForwardSecret,
      jwtKey,
      jwtUserClaim,
      jwtAdmin,
      ...settings
    } = config
    const text = writeConfigFile(settings)
    expect(configOf(text)).toEqual(config)
    expect(text).not.toMatch(/^(upstream|pageCap|lmsUser):/m)
  })

  it('is written with a blank line between settings, in their order, whatever their values', () => {
    expect(writeConfigFile({ preset: 'learndash', port: 0, pageSizeParams: ['a', 'b'], upstream: null })).toBe(
      [
        `# ${SETTINGS.port.description}\nport: 0\n`,
        `# ${SETTINGS.preset.description}\npreset: learndash\n`,
        `# ${SETTINGS.pageSizeParams.description}\npageSizeParams:\n  - a\n  - b\n`,
      ].join('\n'),
    )
    expect(writeConfigFile({})).toBe('')
  })

  it('has precedence over defaults, and flags and variables over it', () => {
    const text = 'port: 1\nhost: a\nscale: 2\nforwardCookie: true'
    expect(configOf(text, ['--port=3', '--forward-cookie=false'], { PORT: '2', HOST: 'b' })).toMatchObject({
      port: 3,
      host: 'b',
      scale: 2,
      maxRows: 1_000,
      forwardCookie: false,
    })
    expect(configOf('port: 1', ['lms']).port).toBe(1)
    expect(configOf('', ['lms']).port).toBe(4001)
    expect(configOf('port: 1', [], { PORT: '' }).port).toBe(1)
  })

  it('is named by a flag rather than by the variable', () => {
    const result = read({ 'a.yaml': 'port: 1', 'b.yaml': 'port: 2' }, ['--config', 'a.yaml'], { CONFIG_FILE: 'b.yaml' })
    expect(result).toMatchObject({ config: { port: 1, configFile: 'a.yaml' } })
  })

  it('may have settings of other commands', () => {
    expect(configOf('lmsUser: admin\npageCap: 5\nscale: 2', ['lms'])).toMatchObject({ lmsUser: null, pageCap: null, scale: 2 })
    expect(configOf('nonsense', ['schema']).configFile).toBeNull()
  })

  it.each<[string, string]>([
    ['empty', ''],
    ['only comments', '# nothing\n\n# at all\n'],
    ['an empty document', '---\n...\n'],
    ['an empty object', '{}'],
  ])('may be %s', (_, text) => {
    expect(configOf(text).port).toBe(4000)
  })

  it('may have a byte order mark, and line ends of Windows', () => {
    expect(configOf('\uFEFFport: 1\r\nhost: a\r\n')).toMatchObject({ port: 1, host: 'a' })
    expect(configOf('\uFEFF{"port": 1}', [], {}, 'lms.json')).toMatchObject({ port: 1 })
  })

  it('names files relative to itself', () => {
    const files = { 'etc/lms/lms.yaml': 'lmsPasswordFile: password.txt\nlmsUser: admin\nopen: true\ndata: ../school.db\n' }
    const result = read({ ...files, 'etc/lms/password.txt': 's3cret\n' }, ['--config', 'etc/lms/lms.yaml'])
    expect(result).toMatchObject({ config: { data: 'etc/school.db' } })
    expect(bare((result as { config: Config }).config.lmsPassword)).toBe('s3cret')
    const absolute = read({ 'etc/lms.yaml': 'data: /var/school.db' }, ['--config', 'etc/lms.yaml'], {})
    expect(absolute).toMatchObject({ config: { data: '/var/school.db' } })
    // Variables are no part of the file.
    expect(read({ 'etc/lms.yaml': '' }, ['--config', 'etc/lms.yaml'], { LMS_DATA: 'school.db' })).toMatchObject({
      config: { data: 'school.db' },
    })
  })
})

describe('a relative name of a file', () => {
  const files = names.filter((name) => (SETTINGS[name] as Setting).holds === 'file')
  const text = 'first-key-0123456789-first-key-0123456789'
  const textFor = (name: string): string => (name === 'redisUrlFile' ? 'redis://127.0.0.1' : text)

  it('is that of ten settings', () => {
    expect(files.length).toBe(10)
    for (const name of files) expect(SETTINGS[name].description).toMatch(/A relative name starts at the working directory, or in a file/)
  })

  it.each(files)('of %s starts at the folder of the settings file, and given otherwise at the working directory', (name) => {
    const { env, flag } = SETTINGS[name] as Setting
    const command = commandOf(name)
    const given = (yaml: string, argv: readonly string[], more: Env = {}) => {
      const texts = { 'etc/x.txt': textFor(name), 'x.txt': textFor(name) }
      const result = read({ ...texts, 'etc/lms.yaml': yaml }, [command, '--config', 'etc/lms.yaml', ...argv], { ...beside(name), ...more })
      if (result.kind !== 'config') throw new Error(JSON.stringify(result))
      return result.config[name]
    }
    expect(given(`${name}: x.txt`, [])).toBe('etc/x.txt')
    expect(given('', [`--${flag}`, 'x.txt'])).toBe('x.txt')
    expect(given('', [], { [env]: 'x.txt' })).toBe('x.txt')
  })
})

describe('a file on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string | Buffer): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  it('is read, with the files it names', () => {
    file('keys.txt', 'first-key-0123456789\n')
    const result = readConfig(['--config', file('lms.yaml', '# ä\nport: 8080\ngatewayApiKeysFile: keys.txt\n')], {})
    expect(result).toMatchObject({ config: { port: 8080 } })
    expect(bare((result as { config: Config }).config.gatewayApiKeys)).toEqual(['first-key-0123456789'])
  })

  it('may have up to 1 MB', () => {
    const most = `port: 1 #${'x'.repeat(1_000_000 - 9)}`
    expect(readConfig(['--config', file('most.yaml', most)], {})).toMatchObject({ config: { port: 1 } })
    expect(readConfig(['--config', file('more.yaml', `${most}x`)], {})).toEqual({
      kind: 'complaints',
      complaints: [expect.stringMatching(/^The file `.*more\.yaml` that `--config` names is larger than 1 MB\.$/)],
    })
  })

  it('must exist, and not be a folder', () => {
    const complaintsAbout = (path: string) => (readConfig(['--config', path], {}) as { complaints: readonly string[] }).complaints
    expect(complaintsAbout(folder)).toEqual([`The file \`${folder}\` that \`--config\` names is a folder.`])
    expect(complaintsAbout(join(folder, 'missing'))).toEqual([
      `The file \`${join(folder, 'missing')}\` that \`--config\` names does not exist.`,
    ])
  })
})
