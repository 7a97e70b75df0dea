import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { works } from '../maps.js'
import { isProxyUrl, proxyUrl } from './addresses.js'
import { type Section, secret } from './option.js'
import type { Secret } from './secret.js'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates in a text in PEM. Environment variables have `\n` in place of line breaks. */
export const certificatesIn = (text: string): X509Certificate[] =>
  (text.replaceAll('\\n', '\n').match(CERTIFICATE) ?? []).map((each) => new X509Certificate(each))

/** The private key in a text in PEM. */
export const privateKeyIn = (text: string): KeyObject => createPrivateKey(text.replaceAll('\\n', '\n'))

/** Whether a certificate is that of a private key. */
export const isPair = (certificate: string, key: Secret): boolean =>
  certificatesIn(certificate)[0]?.checkPrivateKey(privateKeyIn(key.reveal())) === true

/** Commands that call other servers. */
const commands = ['serve', 'doctor'] as const

const proxy = {
  ...secret(
    (given) => isProxyUrl(proxyUrl(given)),
    'an http or https address such as http://proxy.example.org:3128, which may have a user and password',
  ),
  value: 'URL',
  anyCase: true,
  commands,
} as const

const certificates = {
  kind: 'text',
  schema: z.string().refine((text) => works(() => certificatesIn(text)) && certificatesIn(text).length > 0),
  allowed: 'certificates in PEM',
  value: 'PEM',
  type: 'string',
  // Messages do not quote it.
  hidden: true,
  inFile: true,
  commands,
} as const

/** How the gateway calls other servers. */
export const NETWORK = {
  httpsProxy: { ...proxy, description: 'Proxy for calls to https addresses: of the site, the key set, and the receivers of webhooks.' },
  httpProxy: { ...proxy, description: 'Proxy for calls to http addresses.' },
  noProxy: {
    kind: 'list',
    // Other programs ignore empty items.
    schema: z
      .array(z.string())
      .readonly()
      .refine((list) => list.length === 0 || list.some(Boolean)),
    allowed: 'a list of hosts with an optional port each, such as `example.org` with its subdomains; or `*` for all',
    value: 'LIST',
    type: 'readonly string[]',
    default: [] as readonly string[],
    anyCase: true,
    commands,
    description: 'Hosts that are called without a proxy. This machine always is.',
  },
  ca: {
    ...certificates,
    flag: 'trusted-ca',
    description:
      'CA certificates that are trusted in addition to those of Node.js, for calls to the site, the key set, the receivers of webhooks, proxies, and Redis.',
  },
  clientCert: {
    ...certificates,
    flag: 'lms-client-cert',
    description: 'Certificate by which the site knows the gateway, with those between it and its authority.',
  },
  clientKey: {
    ...secret((text) => works(() => privateKeyIn(text)), 'a private key in PEM without a passphrase'),
    value: 'PEM',
    flag: 'lms-client-key',
    commands,
    description: 'Private key of that certificate.',
  },
} as const satisfies Section
