import { z } from 'zod'
import { isJwtKey } from '../server/auth/jwt-key.js'
import { Secret } from './secret.js'
import { fileName, isWebAddress, onOff, type Setting } from './setting.js'

const commands = ['serve'] as const
/** Of what the site is called with. */
const calling = ['serve', 'doctor'] as const

const text = z.string().min(1)
const optionalText = text.nullable().default(null)

/** A text in the environment or a file, which nothing prints. */
const secret = (allows: (text: string) => boolean) =>
  z
    .string()
    .refine(allows)
    .transform((text) => new Secret(text))
    .nullable()
    .default(null)

const file = { ...fileName, commands, hidden: true } as const

const KEY = /^[!-+\--~]{16,}$/

const keys = z
  .string()
  .transform((list) =>
    list
      .split(/[,\r\n]/)
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  )
  .refine((list) => list.length > 0 && list.every((key) => KEY.test(key)))
  .transform((list): readonly Secret[] => list.map((key) => new Secret(key)))
  .default([])

/** With whose credentials the site is called, and who may enter. */
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
    description: 'Account of the site with which it is called for every caller.',
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
    description: 'File with that password.',
    fills: 'lmsPassword',
  },
  apiKeys: {
    env: 'GATEWAY_API_KEYS',
    value: 'KEYS',
    commands,
    holds: 'list',
    schema: keys,
    otherwise: 'none',
    allowed: 'a list of keys of at least 16 printable characters each, separated by commas or lines, without spaces',
    description: 'Keys that let callers in, separated by commas.',
    hidden: true,
  },
  apiKeysFile: {
    ...file,
    flag: 'gateway-api-keys-file',
    env: 'GATEWAY_API_KEYS_FILE',
    description: 'File with such keys, one a line.',
    fills: 'apiKeys',
  },
  open: {
    flag: 'open',
    env: 'GATEWAY_OPEN',
    commands,
    ...onOff,
    description: 'Lets in callers who show neither key nor token, to read only where there is an account.',
  },
  jwtJwksUrl: {
    flag: 'jwt-jwks-url',
    env: 'JWT_JWKS_URL',
    value: 'URL',
    commands,
    schema: z.string().refine(isWebAddress).nullable().default(null),
    otherwise: 'none',
    allowed: 'an http or https address without user and password',
    description: 'Address of the key set (JWKS) that tokens are checked with.',
  },
  jwtKey: {
    env: 'JWT_KEY',
    value: 'KEY',
    commands,
    schema: secret(isJwtKey),
    otherwise: 'none',
    allowed:
      'a public key in PEM (RSA of 2048 bits or more, EC P-256, P-384 or P-521, Ed25519), or a shared secret of at least 32 bytes for HS256',
    description: 'Key that tokens are checked with instead: a public key in PEM, or a shared secret for HS256.',
    hidden: true,
  },
  jwtKeyFile: {
    ...file,
    flag: 'jwt-key-file',
    env: 'JWT_KEY_FILE',
    description: 'File with that key.',
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
    description: 'What `iss` of a token must be.',
  },
  jwtAudience: {
    flag: 'jwt-audience',
    env: 'JWT_AUDIENCE',
    value: 'TEXT',
    commands,
    schema: optionalText,
    otherwise: 'none; needed for tokens',
    allowed: 'a text',
    description: 'What `aud` of a token must be or hold.',
  },
  jwtWithoutExpiry: {
    flag: 'jwt-without-expiry',
    env: 'JWT_WITHOUT_EXPIRY',
    commands,
    ...onOff,
    description: 'Takes tokens without `exp`, which are good for ever.',
  },
  jwtUserClaim: {
    flag: 'jwt-user-claim',
    env: 'JWT_USER_CLAIM',
    value: 'CLAIM',
    commands,
    schema: text.default('sub'),
    otherwise: 'sub',
    allowed: 'the name of a claim, with dots for one inside another',
    description: 'Claim with the id that the holder of a token has in the LMS.',
  },
  jwtAdminClaim: {
    flag: 'jwt-admin-claim',
    env: 'JWT_ADMIN_CLAIM',
    value: 'CLAIM',
    commands,
    schema: text.default('roles'),
    otherwise: 'roles',
    allowed: 'the name of a claim, with dots for one inside another',
    description: 'Claim that tells administrators: it is the value below, a list that holds it, or true.',
  },
  jwtAdminValue: {
    flag: 'jwt-admin-value',
    env: 'JWT_ADMIN_VALUE',
    value: 'TEXT',
    commands,
    schema: text.default('admin'),
    otherwise: 'admin',
    allowed: 'a text',
    description: 'Value of that claim that makes an administrator.',
  },
  forwardCookie: {
    flag: 'forward-cookie',
    env: 'FORWARD_COOKIE',
    commands,
    ...onOff,
    description: "Whether a caller's `wordpress_…` cookies go to the site, where `X-WP-Nonce` comes with them.",
  },
} as const satisfies Record<string, Setting>
