import { z } from 'zod'
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

/** What callers of a service account can be, the weakest first. */
export const ROLES = ['visitor', 'learner', 'editor', 'administrator'] as const

/** What a caller is for a gateway with a service account. Callers with credentials of their own have no role: the site decides what they get. */
export type Role = (typeof ROLES)[number]

/** A value may have commas, as names of groups in directories do, but what looks like an item with an unknown role is no part of it. */
const GRANT =
  /^(visitor|learner|editor|administrator)=(?:key:([A-Za-z][\w.-]{0,39})(?::([1-9]\d{0,8}))?|([^=]+)=((?:(?!,\s*\w+=[^,=]+=).)+))$/s

/** Reads an item of `access.roles`: a role with the name of an API key, which may stand for a user, or with a claim and its value. */
export function roleGrant(item: string) {
  // Only the value may contain further equals signs, as names of groups in directories do.
  const [, role, key, user, claim, value] = GRANT.exec(item) ?? []
  return { role: role as Role, key, viewer: user === undefined ? null : Number(user), claim, value }
}

/** The start of an item. Names of groups in directories have commas. */
const NEXT_GRANT = /,\s*(?=(?:visitor|learner|editor|administrator)=)/

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
    description: 'Allows callers without key and token; with an account they are visitors, who may only read what is published.',
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
  roles: {
    kind: 'list',
    schema: z
      .array(z.string())
      .readonly()
      .transform((items): readonly string[] => (items.length === 0 ? [] : items.join().split(NEXT_GRANT)))
      .pipe(z.array(z.string().regex(GRANT)).readonly()),
    value: 'LIST',
    type: 'readonly string[]',
    allowed:
      'a list of roles (`visitor`, `learner`, `editor`, `administrator`), each with a claim and its value, such as `administrator=roles=admin`, or with a named key and the user whom it stands for, such as `editor=key:shop` or `learner=key:app:3`',
    default: ['administrator=roles=admin'],
    commands: ['serve', 'doctor'],
    description:
      'Roles of the callers of a service account. A token gives a role by a claim that is the value, is a list with the value, or is true. An API key gives a role by its name. The strongest role counts. Keys without a role are administrators. Tokens without a role are learners, or visitors when they have no user id.',
  },
  undecidedContent: {
    ...choice(['hidden', 'shown']),
    default: 'hidden',
    description: 'What visitors and learners get of lessons and topics where `access` is `UNKNOWN`: the content is hidden or shown.',
  },
  allowPlainHttp: {
    ...offByDefault,
    commands: ['serve', 'doctor'],
    description:
      'Accepts http addresses outside of this machine for the key set, for webhooks that are forwarded, and for a site with an account or cookies. Whoever is on the path can read and change what is sent.',
  },
} as const satisfies Section
