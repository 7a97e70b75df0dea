import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions, startGateway } from '../../src/index.js'
import { startLms } from '../../src/lms/index.js'
import { GATEWAY_CHECKS } from '../../src/server/gateway-options.js'
import { SETTINGS } from '../../src/settings/settings.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { merged } from '../support/merged.js'

/** Options that may be smaller than the settings. */
const SMALLER = ['maxBodyBytes', 'memoryBudget']

const UPSTREAM = 'http://127.0.0.1:9'

/** The complaints about some options. */
async function complaintsOf(create: (options: any) => unknown, options: unknown): Promise<readonly string[]> {
  try {
    await create(options)
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    const [, name, text = ''] = /^(\w+): ([\s\S]*)$/.exec((error as Error).message) ?? []
    expect(name).toMatch(/^(createGateway|startGateway|startLms|defineSite)$/)
    return text.split('\n')
  }
  throw new Error('Nothing is wrong.')
}

it('`createGateway` and `startGateway` take the preset of a site', async () => {
  const lms = await startLms({ profile: 'learndash' })
  const ask = async (options: Pick<GatewayOptions, 'site'>) => {
    const gateway = createGateway(merged({ site: { url: `${lms.url}/wp-json` } }, options))
    const response = await gateway.fetch('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('admin:admin-demo')}` },
      body: JSON.stringify({ query: '{ group(id: 1009) { title } }' }),
    })
    await gateway.close()
    return (await response.json()) as { data?: { group: unknown }; errors?: { extensions: { code: string } }[] }
  }
  try {
    expect(await ask({ site: { preset: 'learndash' } })).toEqual({ data: { group: { title: 'Class 7a “Otters”' } } })
    const { data, errors } = await ask({})
    expect([data?.group, errors?.map(({ extensions }) => extensions.code)]).toEqual([null, ['NOT_FOUND']])
  } finally {
    await lms.close()
  }
})

const ofGateway = (options: object) => complaintsOf(createGateway, { upstream: UPSTREAM, ...options })

describe('createGateway', () => {
  it.each<[string, object, string]>([
    ['a misspelt option', { maxInFlght: 4 }, '`maxInFlght` is not an option; did you mean `maxInFlight`?'],
    ['an option in another case', { CorsOrigins: [] }, '`CorsOrigins` is not an option; did you mean `corsOrigins`?'],
    ['an unknown option', { colour: 'blue' }, '`colour` is not an option.'],
    ['an option of `startGateway`', { drainTimeout: 4000 }, '`drainTimeout` is not an option; did you mean `writeTimeout`?'],
    ['a setting of an account', { lmsPassword: 'a' }, '`lmsPassword` is not an option.'],
    ['a number out of bounds', { maxInFlight: 0 }, '`maxInFlight` is `0`; it must be a whole number from 1 to 1024.'],
    ['a number that is not whole', { timeout: 1.5 }, '`timeout` is `1.5`; it must be a whole number from 1 to 600000.'],
    ['no number', { maxRows: Number.NaN }, '`maxRows` is `NaN`; it must be a whole number from 1 to 10000.'],
    ['a text for a number', { maxRows: '500' }, '`maxRows` is a text; it must be a whole number from 1 to 10000.'],
    ['null for a number', { maxCalls: null }, '`maxCalls` is `null`; it must be a whole number from 1 to 100000.'],
    ['a limit out of bounds', { maxDepth: 101 }, '`maxDepth` is `101`; it must be a whole number from 1 to 100.'],
    ['a text for a switch', { introspection: 'false' }, '`introspection` is a text; it must be true or false.'],
    ['a number for a switch', { graphiql: 1 }, '`graphiql` is `1`; it must be true or false.'],
    [
      'a text for a list',
      { corsOrigins: '*' },
      '`corsOrigins` is a text; it must be an array of origins such as https://app.example.org, `*` for all of them.',
    ],
    [
      'a wrong item of a list',
      { corsOrigins: ['app.example.org'] },
      '`corsOrigins` is `app.example.org`; it must be an array of origins such as https://app.example.org, `*` for all of them.',
    ],
    ['a wrong audience', { explainFor: ['admin'] }, '`explainFor` is `admin`; it must be an array of keys, admins, callers and everybody.'],
    [
      'a wrong network',
      { trustedProxies: ['10.0.0.0/99'] },
      '`trustedProxies` is `10.0.0.0/99`; it must be an array of addresses and networks such as 10.0.0.0/8.',
    ],
    ['no site', { upstream: undefined }, '`upstream` is missing; it must be the address of its REST root, or a site made by `defineSite`.'],
    [
      'a site that is not an address',
      { upstream: 'example.org' },
      '`upstream` is `example.org`; it must be an http or https address without user and password, and without a query other than `?rest_route=`. Did you mean `https://example.org`?',
    ],
    [
      'an object that is not a site',
      { upstream: { url: UPSTREAM } },
      '`upstream` is an object; it must be the address of its REST root, or a site made by `defineSite`.',
    ],
    ['an unknown preset', { preset: 'learndsh' }, '`preset` is `learndsh`; it must be lms or learndash.'],
    [
      'a path without its first slash',
      { path: 'graphql' },
      '`path` is a text; it must be a path that begins with `/` and does not end with it, such as `/graphql`.',
    ],
    [
      'a path with a last slash',
      { path: '/graphql/' },
      '`path` is a text; it must be a path that begins with `/` and does not end with it, such as `/graphql`.',
    ],
    [
      'a path to another host',
      { path: '//example.org' },
      '`path` is a text; it must be a path that begins with `/` and does not end with it, such as `/graphql`.',
    ],
    [
      'a path with a query',
      { path: '/graphql?x' },
      '`path` is a text; it must be a path that begins with `/` and does not end with it, such as `/graphql`.',
    ],
    ['no function', { on: { call: 'log' } }, '`on.call` is a text; it must be a function.'],
    [
      'no logger',
      { log: { info: () => {} } },
      '`log` is an object; it must be a logger with the methods `debug`, `info`, `warn` and `error`.',
    ],
    ['an object for a Map', { trustedDocuments: {} }, '`trustedDocuments` is an object; it must be a `Map` of documents by their hashes.'],
    ['a resource alone', { resources: {} }, '`resources` is an object; it must be an array of resources made by `defineResource`.'],
    [
      'a misspelt option in an object',
      { authentication: { apikeys: [] } },
      '`authentication.apikeys` is not an option; did you mean `apiKeys`?',
    ],
    [
      'a text for keys',
      { authentication: { apiKeys: 's3cret-0123456789' } },
      '`authentication.apiKeys` is a text; it must be an array of texts.',
    ],
    [
      'a misspelt option of tokens',
      { authentication: { jwt: { jwkUrl: 'x', issuer: 'i', audience: 'a' } } },
      '`authentication.jwt.jwkUrl` is not an option; did you mean `jwksUrl`?',
    ],
    [
      'a token without issuer',
      { authentication: { jwt: { jwksUrl: 'https://example.org/keys', audience: 'a' } } },
      '`authentication.jwt.issuer` is missing; it must be a text.',
    ],
    ['a text for an object', { authentication: 'open' }, '`authentication` is a text; it must be an object.'],
    ['an account without password', { serviceAccount: { user: 'gateway' } }, '`serviceAccount.password` is missing; it must be a text.'],
    [
      'an empty password',
      { serviceAccount: { user: 'gateway', password: '' } },
      '`serviceAccount.password` is an empty text; it must be a text.',
    ],
    [
      'a short secret of the webhook',
      { hooks: { secret: 's3cret' } },
      '`hooks.secret` is wrong; it must be a secret of at least 32 characters without commas, or two while one is replaced, the new one first.',
    ],
    [
      'three secrets for forwarding',
      { hooks: { forward: ['https://cdn.example.org'], forwardSecret: ['x', 'y', 'z'].map((letter) => letter.repeat(32)) } },
      '`hooks.forwardSecret` is wrong; it must be a secret of at least 32 characters without commas, or two while one is replaced, the new one first.',
    ],
    [
      'no secret in an array',
      { cache: { maxAge: 60, secret: [] } },
      '`cache.secret` is wrong; it must be a secret of at least 32 characters without commas, or two while one is replaced, the new one first.',
    ],
    [
      'two secrets of the cache in one text',
      { cache: { maxAge: 60, secret: `${'x'.repeat(32)},${'y'.repeat(32)}` } },
      '`cache.secret` is wrong; it must be a secret of at least 32 characters without commas, or two while one is replaced, the new one first.',
    ],
    [
      'an address that is none',
      { hooks: { forward: ['cdn.example.org'], forwardSecret: 'x'.repeat(32) } },
      '`hooks.forward` is wrong; it must be an array of http and https addresses without user and password.',
    ],
    [
      'addresses without a secret',
      { hooks: { forward: ['https://cdn.example.org'] } },
      '`hooks.forward` needs `hooks.forwardSecret`, with which the gateway signs what it sends there.',
    ],
    [
      'a secret without addresses',
      { hooks: { forwardSecret: 'x'.repeat(32) } },
      '`hooks.forwardSecret` has no effect without `hooks.forward`.',
    ],
    [
      'a wrong key of users',
      { subgraph: { users: 'no key' } },
      '`subgraph.users` is `no key`; it must be `here`, or the name of a field, and its type if it is not ID: `id`, `lmsId:Int` or `lmsId:String`.',
    ],
  ])('names %s', async (_, options, complaint) => {
    expect(await ofGateway(options)).toEqual([complaint])
  })

  it('names everything that is wrong at once', async () => {
    const options = { maxInFlght: 4, maxRows: 0, serviceAccount: { usr: 'x', password: 1 }, authentication: { jwt: {} } }
    expect(await complaintsOf(createGateway, options)).toEqual([
      '`maxRows` is `0`; it must be a whole number from 1 to 10000.',
      '`upstream` is missing; it must be the address of its REST root, or a site made by `defineSite`.',
      '`serviceAccount.user` is missing; it must be a login without a colon.',
      '`serviceAccount.password` is `1`; it must be a text.',
      '`serviceAccount.usr` is not an option; did you mean `user`?',
      '`authentication.jwt.issuer` is missing; it must be a text.',
      '`authentication.jwt.audience` is missing; it must be a text.',
      '`maxInFlght` is not an option; did you mean `maxInFlight`?',
    ])
  })

  it.each([undefined, null, 'https://example.org', []])('refuses %j instead of options', async (options) => {
    expect(await complaintsOf(createGateway, options)).toEqual([
      expect.stringMatching(/^The object of options is .*; it must be an object\.$/),
    ])
  })

  it('never shows a secret', async () => {
    const secret = 's3cret-s3cret-s3cret'
    const wrong = { user: `a:${secret}`, password: [secret] }
    const complaints = await ofGateway({
      serviceAccount: wrong,
      authentication: { apiKeys: secret, jwt: { key: secret, issuer: [secret] } },
    })
    expect(complaints.length).toBeGreaterThan(4)
    expect(complaints.join()).not.toContain('s3cret')
    expect((await ofGateway({ upstream: `https://me:${secret}@example.org` })).join()).not.toContain('s3cret')
  })

  it('takes undefined for every option that is not required', async () => {
    const names = Object.keys(GATEWAY_CHECKS).filter((name) => name !== 'upstream')
    const gateway = createGateway(
      merged(Object.fromEntries(names.map((name) => [name, undefined])), { site: { url: UPSTREAM } }) as GatewayOptions,
    )
    await gateway.close()
  })

  it('allows programs a smaller body and budget of memory than the command', async () => {
    expect(await ofGateway({ maxBodyBytes: 0, memoryBudget: 0 })).toEqual([
      '`maxBodyBytes` is `0`; it must be a whole number from 1 to 100000000.',
      '`memoryBudget` is `0`; it must be a whole number from 1 to 1000000000000.',
    ])
    await createGateway({ site: { url: UPSTREAM }, limits: { maxBodyBytes: 1, memoryBudget: 1 } }).close()
  })

  it('has the bounds of the settings, for every other number', async () => {
    const numbers = Object.keys(GATEWAY_CHECKS).filter(
      (name) => name in SETTINGS && (SETTINGS as any)[name].holds === 'number' && !SMALLER.includes(name),
    )
    expect(numbers.length).toBeGreaterThan(30)
    for (const name of numbers) {
      const { allowed } = (SETTINGS as any)[name]
      const [least, most] = allowed.match(/\d+/g).map(Number)
      for (const value of [least - 1, most + 1])
        expect(await ofGateway({ [name]: value })).toEqual([`\`${name}\` is \`${value}\`; it must be ${allowed}.`])
      for (const value of [least, most]) await createGateway({ site: { url: UPSTREAM }, [name]: value } as GatewayOptions).close()
    }
  })
})

describe('the other functions', () => {
  it('startGateway names wrong options, its own included', async () => {
    const options = { upstream: UPSTREAM, prt: 0, host: 'two words', headersTimeout: 1, linger: -1, maxRow: 1 }
    expect(await complaintsOf(startGateway, options)).toEqual([
      '`host` is `two words`; it must be a host name or address.',
      '`headersTimeout` is `1`; it must be a whole number from 100 to 3600000.',
      '`linger` is `-1`; it must be a whole number from 0 to 3600000.',
      '`prt` is not an option; did you mean `port`?',
      '`maxRow` is not an option; did you mean `maxRows`?',
    ])
  })

  it('startLms names wrong options, profiles and switches', async () => {
    expect(await complaintsOf(startLms, { porrt: 1, scale: 101, control: 'yes' })).toEqual([
      '`scale` is `101`; it must be a whole number from 1 to 100.',
      '`control` is a text; it must be true or false.',
      '`porrt` is not an option; did you mean `port`?',
    ])
    expect(await complaintsOf(startLms, { profile: 'moodle', switches: { wrkers: 2 } })).toEqual([
      'The profile is `moodle`; it must be one of lms, learndash, learndash-5.',
      'There is no switch `wrkers`. Did you mean workers?',
    ])
    expect(await complaintsOf(startLms, { switches: 'workers=2' })).toEqual(['`switches` is a text; it must be an object.'])
  })

  it('defineSite names wrong names', async () => {
    const define = (options: { url: string; names: object }) => defineSite(options.url, options.names)
    expect(
      await complaintsOf(define, {
        url: 'example.org',
        names: { pageCp: 50, pageCap: 0, unbatched: 'Group', namespaces: { v1: 'lms/v1' } },
      }),
    ).toEqual([
      '`url` is a text; it must be an http or https address without user and password.',
      '`namespaces.v2` is missing; it must be a text.',
      '`pageCap` is `0`; it must be a whole number from 1 to 1000.',
      '`unbatched` is a text; it must be an array of texts.',
      '`pageCp` is not an option; did you mean `pageCap`?',
    ])
  })
})
