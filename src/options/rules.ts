import { isDeepStrictEqual } from 'node:util'
import { namedKey, roleGrant } from './access.js'
import { isPlainHttp } from './addresses.js'
import type { Arguments } from './arguments.js'
import { isPair } from './network.js'
import type { Command } from './option.js'
import type { Named } from './reading.js'
import { entryAt, type Options } from './table.js'

/** The input of the rules. */
export interface Chosen {
  /** Undefined for programs. */
  readonly command: Command | undefined
  readonly options: Options
  readonly args: Arguments | undefined
  readonly named: Named
  readonly production: boolean
}

/** Options by how they were given, and by how they are set. */
class View {
  constructor(readonly chosen: Chosen) {}

  value(path: string): unknown {
    const { options, args = {} } = this.chosen
    return path.split('.').reduce<any>((value, name) => value?.[name], { ...options, ...args })
  }

  /** How an option was given, unless it is off, an empty list, or its default: these contradict nothing. */
  on(path: string): string | undefined {
    const value = this.value(path)
    const isOff = value === false || (Array.isArray(value) && value.length === 0) || isDeepStrictEqual(value, entryAt(path).default ?? null)
    return isOff ? undefined : this.chosen.named(path)
  }

  first(...paths: readonly string[]): string | undefined {
    return paths.map((path) => this.on(path)).find((named) => named !== undefined)
  }

  /** How an option is set: the flag or the variables of a command, the path of a program. */
  set(path: string): string {
    if (this.chosen.command === undefined) return `\`${path}\``
    const { flag, env } = entryAt(path)
    return flag === undefined ? `\`${env}\` or \`${env}_FILE\`` : env === undefined ? `\`--${flag}\`` : `\`--${flag}\` or \`${env}\``
  }

  /** Whether the gateway serves requests with the options. */
  get serves(): boolean {
    return this.chosen.command === undefined || this.chosen.command === 'serve' || this.chosen.command === 'config'
  }
}

/** Complaints about options that contradict or require each other, with what to set or drop. Undefined when there is none. */
type Rule = (view: View) => string | readonly string[] | undefined

/** An option that has no effect without another one. An empty list counts as given: it switches something off for a while. */
const needs =
  (path: string, other: string): Rule =>
  (view) =>
    view.on(path) && !view.chosen.named(other)
      ? `${view.on(path)} has no effect without ${view.set(other)}: set that, or drop ${view.on(path)}.`
      : undefined

/** An option that requires another one. `what` is that one in words. */
const requires =
  (path: string, other: string, what: string): Rule =>
  (view) =>
    view.on(path) && !view.on(other) ? `${view.on(path)} needs ${what}: set ${view.set(other)}.` : undefined

/** Two options that exclude each other. */
const excludes =
  (path: string, other: string, reason: string): Rule =>
  (view) =>
    view.on(path) && view.on(other) ? `${view.on(path)} cannot be used with ${view.on(other)}: ${reason}; drop one of them.` : undefined

/** Addresses that are http to another machine. `what` is sent there. */
function plainHttp(path: string, what: string): Rule {
  return (view) => {
    const addresses = [view.value(path)].flat() as (string | undefined)[]
    const isPlain = addresses.some((address) => address !== undefined && isPlainHttp(address))
    return isPlain && !view.on('access.allowPlainHttp')
      ? `${view.on(path)} is http, so ${what} can be read and changed on the way. Use https, or set ${view.set('access.allowPlainHttp')}.`
      : undefined
  }
}

const JWT = ['access.jwtJwksUrl', 'access.jwtKey', 'access.jwtIssuer', 'access.jwtAudience', 'access.jwtUserClaim']

/** Roles that no caller can have as they are given. */
const wrongRoles: Rule = (view) => {
  const { roles = [], apiKeys = [] } = view.chosen.options.access
  const names = apiKeys.map((each) => namedKey(each.reveal()).name)
  // The doctor shows the roles, and has no keys and tokens.
  const named = view.serves ? view.on('access.roles') : undefined
  if (!named) return undefined
  return roles.map(roleGrant).flatMap(({ role, key, viewer, claim }) => {
    if (claim !== undefined && !view.first(...JWT))
      return `${named} has the claim \`${claim}\`, but there are no tokens: set ${view.set('access.jwtIssuer')} and the other options of tokens, or drop the item.`
    if (key !== undefined && !names.includes(key))
      return `${named} has the key \`${key}\`, but ${view.on('access.apiKeys') ?? view.set('access.apiKeys')} has no key with this name.`
    return key !== undefined && role === 'learner' && viewer === null
      ? `${named} has the learner \`key:${key}\` without the user whom the key stands for: write \`learner=key:${key}:USER_ID\`.`
      : []
  })
}

const RULES: readonly Rule[] = [
  requires('site.user', 'site.password', 'its application password'),
  needs('site.password', 'site.user'),
  needs('site.editorUser', 'site.user'),
  requires('site.editorUser', 'site.editorPassword', 'its application password'),
  needs('site.editorPassword', 'site.editorUser'),
  needs('access.roles', 'site.user'),
  wrongRoles,
  ({ chosen: { command, named } }) =>
    (command === undefined || command === 'doctor') && !named('site.url')
      ? `${command === undefined ? 'The gateway' : '`doctor`'} needs a site: set ${command === undefined ? '`site.url`' : '`--upstream` or `LMS_URL`'}.`
      : undefined,
  (view) =>
    (view.chosen.command === 'serve' || view.chosen.command === 'config') &&
    view.chosen.production &&
    !view.on('site.url') &&
    !view.on('lms.inProduction')
      ? '`serve` needs a site in production: set `--upstream` or `LMS_URL`, or `--embedded` for the embedded LMS.'
      : undefined,
  (view) =>
    view.chosen.command === 'supergraph' && !view.on('url')
      ? '`supergraph` needs the address at which routers reach the gateway: set `--url`.'
      : undefined,
  (view) => {
    const account = view.first('site.user', 'site.password')
    if (!view.serves || !account || view.first('access.apiKeys', 'access.open', ...JWT)) return undefined
    return `${account} gives its rights to everybody who reaches the gateway. Set ${view.set('access.apiKeys')}; or ${view.set('access.jwtJwksUrl')} with ${view.set('access.jwtIssuer')} and ${view.set('access.jwtAudience')}; or ${view.set('access.open')} for visitors, who may only read what is published. Or drop ${account}.`
  },
  (view) => {
    const tokens = view.first(...JWT)
    if (!tokens) return undefined
    if (!view.first('site.user', 'site.password'))
      return `${tokens} has no effect without ${view.set('site.user')} and ${view.set('site.password')}: without an account, \`Authorization\` is for the site, not for the gateway. Set them, or drop ${tokens}.`
    const missing = [
      ...(view.first('access.jwtJwksUrl', 'access.jwtKey') ? [] : [`${view.set('access.jwtJwksUrl')} or ${view.set('access.jwtKey')}`]),
      ...['access.jwtIssuer', 'access.jwtAudience'].filter((path) => !view.on(path)).map((path) => view.set(path)),
    ]
    return missing.length === 0 ? undefined : `${tokens} is not enough to verify tokens: also set ${missing.join('; and ')}.`
  },
  needs('network.clientCert', 'network.clientKey'),
  needs('network.clientKey', 'network.clientCert'),
  (view) => {
    const { clientCert, clientKey } = view.chosen.options.network
    return clientCert !== undefined && clientKey !== undefined && !isPair(clientCert, clientKey)
      ? `${view.on('network.clientCert')} has no certificate of ${view.on('network.clientKey')}: the first certificate must be that of the key.`
      : undefined
  },
  excludes('access.jwtJwksUrl', 'access.jwtKey', 'tokens have one source of keys'),
  excludes('site.forwardCookie', 'site.user', 'the site receives the credentials of the account for all callers'),
  requires('hooks.forward', 'hooks.forwardSecret', 'a secret to sign with'),
  needs('hooks.forwardSecret', 'hooks.forward'),
  (view) => {
    const { secret = [], forwardSecret = [] } = view.chosen.options.hooks
    const ofSite = secret.map((each) => each.reveal())
    return forwardSecret.some((each) => ofSite.includes(each.reveal()))
      ? `${view.on('hooks.forwardSecret')} and ${view.on('hooks.secret')} have the same secret, so who receives changes can send them to the gateway; replace one of them.`
      : undefined
  },
  ...['lms.data', 'lms.scale', 'lms.inProduction', 'lms.profile', 'lms.switches', 'lms.control'].map(
    (path): Rule =>
      (view) =>
        view.serves && view.on(path) && view.on('site.url')
          ? `${view.on(path)} has no effect with ${view.on('site.url')}: it is for the embedded LMS; drop one of them.`
          : undefined,
  ),
  needs('http.onlyTrusted', 'http.operations'),
  (view) => (!view.serves || view.on('subgraph.enabled') ? undefined : needs('http.maxAge', 'http.operations')(view)),
  (view) => (view.value('observe.logCallers') === 'hashed' ? undefined : needs('cache.secret', 'cache.maxAge')(view)),
  needs('redis.cluster', 'redis.url'),
  excludes('semanticNullability', 'subgraph.enabled', 'routers do not accept the directive'),
  needs('force', 'write'),
  excludes('url', 'schema', 'there is one graph to check'),
  needs('headersFile', 'url'),
  needs('usage', 'against'),
  ({ chosen: { command, args, named } }) =>
    command !== 'check' && args?.format === 'github' ? `${named('format')} is \`github\`, which \`check\` prints only.` : undefined,
  (view) =>
    view.on('schema') && view.chosen.named('limits.maxCalls') === '`--max-calls`'
      ? '`--max-calls` cannot be used with `--schema`: calls are estimated with a gateway; drop one of them.'
      : undefined,
  needs('backup', 'lms.data'),
  ({ chosen: { command, options, named } }) => {
    const { metrics } = options.observe
    const { host, port } = options.http
    // `createGateway` has no port.
    const hasPort = port !== undefined && (command !== undefined || named('http.port') !== undefined)
    const isSame = hasPort && metrics !== 0 && (metrics === port || metrics === `${host}:${port}`)
    return isSame ? `${named('observe.metrics')} is \`${metrics}\`, which is the port of GraphQL; it must be another one.` : undefined
  },
  (view) => (view.first('site.user', 'site.forwardCookie') ? plainHttp('site.url', 'the credentials for the site')(view) : undefined),
  plainHttp('access.jwtJwksUrl', 'the keys of tokens'),
  plainHttp('hooks.forward', 'the changes'),
]

/** The complaints about options that contradict or require each other. */
export function contradictions(chosen: Chosen): string[] {
  const view = new View(chosen)
  return RULES.flatMap((rule) => rule(view) ?? [])
}
