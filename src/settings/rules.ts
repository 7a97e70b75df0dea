import type { Command } from './setting.js'

/** How a setting was given: its flag, its variable, or its line in a file, in backquotes. Undefined when it was not given. */
export type Given = (name: string) => string | undefined

const JWT = ['jwtJwksUrl', 'jwtKey', 'jwtKeyFile', 'jwtIssuer', 'jwtAudience', 'jwtUserClaim', 'jwtAdmin']

const AUTHENTICATION =
  '`GATEWAY_API_KEYS` (or `GATEWAY_API_KEYS_FILE`), `JWT_JWKS_URL` (or `JWT_KEY`) with `JWT_ISSUER` and `JWT_AUDIENCE`, or `GATEWAY_OPEN=true` when everybody may have them'

/** Complaints about settings that contradict or require each other, with what to set or drop. `on` looks up switches that are on, and lists that are not empty. */
export function contradictions(command: Command, given: Given, on: Given, production: boolean): string[] {
  const first = (...names: string[]): string | undefined => names.map(given).find((name) => name !== undefined)
  const user = given('lmsUser')
  const password = first('lmsPassword', 'lmsPasswordFile')
  const account = user ?? password
  const tokens = first(...JWT)
  const complaints: string[] = []
  if (user && !password) complaints.push(`${user} needs its application password: set \`LMS_PASSWORD\` or \`LMS_PASSWORD_FILE\`.`)
  if (password && !user) complaints.push(`${password} has no effect without \`LMS_USER\`: set that, or drop ${password}.`)
  if (command === 'doctor' && !given('upstream')) complaints.push('`doctor` needs a site: set `--upstream` or `LMS_URL`.')
  if (command === 'supergraph' && !given('url'))
    complaints.push('`supergraph` needs the address at which routers reach the gateway: set `--url` or `SUBGRAPH_URL`.')
  // `doctor` serves no requests.
  if (command !== 'doctor' && account && !first('gatewayApiKeys', 'gatewayApiKeysFile') && !tokens && !on('open'))
    complaints.push(`${account} gives its rights to everybody who reaches the gateway. Set ${AUTHENTICATION}; or drop ${account}.`)
  if (tokens && !account)
    complaints.push(
      `${tokens} has no effect without \`LMS_USER\` and \`LMS_PASSWORD\`: without them, \`Authorization\` is for the site, not for the gateway. Set them, or drop ${tokens}.`,
    )
  if (tokens && account) complaints.push(...incomplete(tokens, given))
  if (given('jwtJwksUrl') && first('jwtKey', 'jwtKeyFile'))
    complaints.push(`${given('jwtJwksUrl')} and ${first('jwtKey', 'jwtKeyFile')} are both set; drop one of them.`)
  const forwardSecret = first('hookForwardSecret', 'hookForwardSecretFile')
  if (on('hookForward') && !forwardSecret)
    complaints.push(`${on('hookForward')} needs a secret to sign with: set \`HOOK_FORWARD_SECRET\` or \`HOOK_FORWARD_SECRET_FILE\`.`)
  if (forwardSecret && !given('hookForward'))
    complaints.push(`${forwardSecret} has no effect without \`HOOK_FORWARD\`: set that, or drop ${forwardSecret}.`)
  const upstream = given('upstream')
  if (command === 'serve' && production && !upstream && !on('embedded'))
    complaints.push('`serve` needs a site in production: set `--upstream` or `LMS_URL`, or `--embedded` for the embedded LMS.')
  for (const name of ['profile', 'switch', 'data', 'scale', 'embedded']) {
    const embedded = command === 'serve' && upstream ? (name === 'embedded' ? on(name) : given(name)) : undefined
    if (embedded) complaints.push(`${embedded} has no effect with ${upstream}: it is for the embedded LMS; drop one of them.`)
  }
  const cookie = on('forwardCookie')
  if (cookie && account)
    complaints.push(
      `${cookie} cannot be used with ${account}: the site receives the credentials of the account for all callers; drop ${cookie}.`,
    )
  if (on('onlyTrusted') && !given('trustedDocuments'))
    complaints.push(`${on('onlyTrusted')} has no effect without \`TRUSTED_DOCUMENTS\`: set that, or drop ${on('onlyTrusted')}.`)
  const httpMaxAge = given('httpMaxAge')
  if (command === 'serve' && httpMaxAge && !on('subgraph') && !given('trustedDocuments'))
    complaints.push(
      `${httpMaxAge} has no effect without \`TRUSTED_DOCUMENTS\`: only answers to trusted documents may be kept. Set that, or drop ${httpMaxAge}.`,
    )
  if (given('metricsHost') && !given('metricsPort'))
    complaints.push(`${given('metricsHost')} has no effect without \`--metrics-port\`: set that, or drop ${given('metricsHost')}.`)
  if (given('metrics') && !on('metrics') && given('metricsPort'))
    complaints.push(`${given('metrics')} is false, but ${given('metricsPort')} serves metrics; drop one of them.`)
  if (on('metricsOpen') && given('metricsPort'))
    complaints.push(
      `${on('metricsOpen')} has no effect with ${given('metricsPort')}: that port is open to everybody who reaches it; drop one of them.`,
    )
  const cacheSecret = first('cacheSecret', 'cacheSecretFile')
  if (command === 'serve' && cacheSecret && !given('cache'))
    complaints.push(`${cacheSecret} has no effect without \`--cache\`: set that, or drop ${cacheSecret}.`)
  const cluster = on('redisCluster')
  if (command === 'serve' && cluster && !first('redisUrl', 'redisUrlFile'))
    complaints.push(`${cluster} has no effect without \`REDIS_URL\` or \`REDIS_URL_FILE\`: set one of them, or drop ${cluster}.`)
  if (on('subgraph') && on('semanticNullability'))
    complaints.push(
      `${on('semanticNullability')} cannot be used with ${on('subgraph')}: routers do not accept the directive; drop one of them.`,
    )
  return complaints
}

/** Complaints about missing settings for tokens. */
function incomplete(tokens: string, given: Given): string[] {
  const missing = [
    ...(given('jwtJwksUrl') || given('jwtKey') || given('jwtKeyFile') ? [] : ['`JWT_JWKS_URL`, `JWT_KEY` or `JWT_KEY_FILE`']),
    ...(given('jwtIssuer') ? [] : ['`JWT_ISSUER`']),
    ...(given('jwtAudience') ? [] : ['`JWT_AUDIENCE`']),
  ]
  return missing.length === 0 ? [] : [`${tokens} is not enough to verify tokens: also set ${missing.join(' and ')}.`]
}

/** Complaints about a port of metrics that is the port of GraphQL on the same host. */
export function samePort({ port, host, metricsPort, metricsHost }: Record<string, unknown>, given: Given): string[] {
  if (typeof metricsPort !== 'number' || metricsPort === 0 || metricsPort !== port || (metricsHost ?? host) !== host) return []
  return [`${given('metricsPort')} is \`${metricsPort}\`, which is the port of GraphQL; it must be another one.`]
}
