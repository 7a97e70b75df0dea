import { z } from 'zod'
import { readAdminClaim } from '../server/auth/admin-claim.js'
import { isJwtKey } from '../server/auth/jwt-key.js'
import { isWebAddress } from '../upstream/site/site.js'
import { textList } from './names.js'
import { Secret } from './secret.js'
import { addressHint, fileName, onOff, RELATIVE, type Setting, secret } from './setting.js'

const commands = ['serve'] as const
/** Commands that call the site. */
const calling = ['serve', 'doctor'] as const

const text = z.string().min(1)
const optionalText = text.nullable().default(null)

const file = { ...fileName, commands, hidden: true } as const

const KEY = /^[!-+\--~]{16,}$/

const keys = textList
  .transform((list) =>
    list
      .flatMap((key) => key.split(/[\r\n]/))
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  )
  .refine((list) => list.length > 0 && list.every((key) => KEY.test(key)))
  .transform((list): readonly Secret[] => list.map((key) => new Secret(key)))
  .default([])

/** Which credentials the site receives, and who may use the gateway. */
export const ACCESS = {
  lmsUser: {
    flag: 'lms-user',
    env: 'LMS_USER',
    value: 'LOGIN',
    commands: calling,
    schema: z
      .string()
      .regex(/^[^:\p{Cc}]+$/u)
      .nullable()
      .default(null),
    otherwise: "each caller's own credentials",
    allowed: 'a login without a colon',
    description: 'Account of the site that is used for all callers.',
    hidden: true,
  },
  lmsPassword: {
    env: 'LMS_PASSWORD',
    value: 'TEXT',
    commands: calling,
    schema: secret((password) => /^\P{Cc}+$/u.test(password)),
    otherwise: 'none',
    allowed: 'a text of one line',
    description: 'Application password of that account.',
    hidden: true,
  },
  lmsPasswordFile: {
    ...file,
    commands: calling,
    flag: 'lms-password-file',
    env: 'LMS_PASSWORD_FILE',
    description: `File with the password. ${RELATIVE}`,
    fills: 'lmsPassword',
  },
  gatewayApiKeys: {
    env: 'GATEWAY_API_KEYS',
    value: 'KEYS',
    commands,
    holds: 'list',
    schema: keys,
    otherwise: 'none',
    allowed: 'a list of keys of at least 16 printable characters each, separated by commas or lines, without spaces',
    description: 'API keys of callers, separated by commas.',
    hidden: true,
  },
  gatewayApiKeysFile: {
    ...file,
    flag: 'gateway-api-keys-file',
    env: 'GATEWAY_API_KEYS_FILE',
    description: `File with API keys, one per line. ${RELATIVE}`,
    fills: 'gatewayApiKeys',
  },
  open: {
    flag: 'open',
    env: 'GATEWAY_OPEN',
    commands,
    ...onOff,
    description: 'Allows callers without key and token; with an account they may only read what is published.',
  },
  jwtJwksUrl: {
    flag: 'jwt-jwks-url',
    env: 'JWT_JWKS_URL',
    value: 'URL',
    commands,
    schema: z.string().refine(isWebAddress).nullable().default(null),
    otherwise: 'none',
    hint: addressHint,
    allowed: 'an http or https address without user and password',
    description: 'Address of the key set (JWKS) for tokens.',
  },
  jwtKey: {
    env: 'JWT_KEY',
    value: 'KEY',
    commands,
    schema: secret(isJwtKey),
    otherwise: 'none',
    allowed:
      'a public key in PEM (RSA of 2048 bits or more, EC P-256, P-384 or P-521, Ed25519), or a shared secret of at least 32 bytes for HS256',
    description: 'Key for tokens instead of a key set: a public key in PEM, or a shared secret for HS256.',
    hidden: true,
  },
  jwtKeyFile: {
    ...file,
    flag: 'jwt-key-file',
    env: 'JWT_KEY_FILE',
    description: `File with the key for tokens. ${RELATIVE}`,
    fills: 'jwtKey',
  },
  jwtIssuer: {
    flag: 'jwt-issuer',
    env: 'JWT_ISSUER',
    value: 'TEXT',
    commands,
    schema: optionalText,
    otherwise: 'none; needed for tokens',
    allowed: 'a text',
    description: 'Required `iss` of tokens.',
  },
  jwtAudience: {
    flag: 'jwt-audience',
    env: 'JWT_AUDIENCE',
    value: 'TEXT',
    commands,
    schema: optionalText,
    otherwise: 'none; needed for tokens',
    allowed: 'a text',
    description: 'Required `aud` of tokens, or a member of it.',
  },
  jwtUserClaim: {
    flag: 'jwt-user-claim',
    env: 'JWT_USER_CLAIM',
    value: 'CLAIM',
    commands,
    schema: text.default('sub'),
    otherwise: 'sub',
    allowed: 'the name of a claim, with dots for nested claims',
    description: 'Claim with the user id in the LMS.',
  },
  jwtAdmin: {
    flag: 'jwt-admin',
    env: 'JWT_ADMIN',
    value: 'CLAIM=VALUE',
    commands,
    schema: text.refine((each) => readAdminClaim(each) !== undefined).default('roles=admin'),
    otherwise: 'roles=admin',
    allowed: 'a claim and its value, such as `roles=admin`, with dots for nested claims',
    description: 'Claim of administrators and its value; the claim may also be a list with the value, or true.',
  },
  forwardCookie: {
    flag: 'forward-cookie',
    env: 'FORWARD_COOKIE',
    commands,
    ...onOff,
    description: 'Whether `wordpress_…` cookies of a caller go to the site, together with `X-WP-Nonce`.',
  },
} as const satisfies Record<string, Setting>
