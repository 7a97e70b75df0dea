import { isJwtKey } from './jwt-key.js'
import { choice, offByDefault, type Section, secret, secrets, text, webAddress } from './option.js'

/** The first group is the name, the second one the key. What looks like a name is one, also before a key that is too short. */
const API_KEY = /^(?:([A-Za-z][\w.-]{0,39}):)?(.*)$/
const KEY = /^[!-+\--~]{16,}$/

/** The name and the key in an item of `access.apiKeys`, which is `name:key` or a key alone. */
export function namedKey(item: string): { readonly name: string | undefined; readonly key: string } {
  const [, name, key = ''] = API_KEY.exec(item) ?? []
  return { name, key }
}

const claim = text(/^[^=]+$/, 'the name of a claim, with dots for nested claims')

/** Who may use the gateway. */
export const ACCESS = {
  apiKeys: {
    ...secrets(
      (item) => KEY.test(namedKey(item).key),
      'a list of keys of at least 16 printable characters each, without spaces and commas; before each one may be a name of up to 40 characters and a colon, such as `shop:…`',
      10_000,
    ),
    flag: 'gateway-api-keys',
    description:
      'API keys of callers. Clients send the key without its name, which is for the log. Two keys may have one name, while one replaces the other.',
  },
  open: {
    ...offByDefault,
    env: 'GATEWAY_OPEN',
    description: 'Allows callers without key and token; with an account they may only read what is published.',
  },
  jwtJwksUrl: {
    ...webAddress,
    description:
      'Address of the key set (JWKS) for tokens. It is loaded every ten minutes, and for an unknown key; the last one is used for a day while that fails.',
  },
  jwtKey: {
    ...secret(
      isJwtKey,
      'a public key in PEM (RSA of 2048 bits or more, EC P-256, P-384 or P-521, Ed25519), or a shared secret of at least 32 bytes for HS256',
    ),
    value: 'KEY',
    description: 'Key for tokens instead of a key set: a public key in PEM, or a shared secret for HS256.',
  },
  jwtIssuer: { ...text(/./, 'a text'), otherwise: 'none; needed for tokens', description: 'Required `iss` of tokens.' },
  jwtAudience: {
    ...text(/./, 'a text'),
    otherwise: 'none; needed for tokens',
    description: 'Required `aud` of tokens, or a member of it.',
  },
  jwtUserClaim: {
    ...claim,
    default: 'sub',
    value: 'CLAIM',
    description: 'Claim with the user id in the LMS: a whole number from 1, or its digits. Dots lead to nested claims.',
  },
  jwtAdmin: {
    ...text(/^[^=]+=.+$/, 'a claim and its value, such as `roles=admin`'),
    default: 'roles=admin',
    value: 'CLAIM=VALUE',
    description: 'Claim of administrators: it is this value, a list with it, or true.',
  },
  undecidedContent: {
    ...choice(['hidden', 'shown']),
    default: 'hidden',
    description:
      'Content of lessons and topics for visitors and learners of a service account, when it is not known whether they may open it: `access` is `UNKNOWN`.',
  },
  allowPlainHttp: {
    ...offByDefault,
    commands: ['serve', 'doctor'],
    description:
      'Accepts http addresses outside of this machine for the key set, for webhooks that are forwarded, and for a site with an account or cookies. Whoever is on the path can read and change what is sent.',
  },
} as const satisfies Section
