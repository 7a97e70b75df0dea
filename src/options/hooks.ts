import { isWebAddress } from './addresses.js'
import { listOf, replaceableSecret, type Section } from './option.js'

/** Webhooks: from the site, and to further addresses. */
export const HOOKS = {
  secret: {
    ...replaceableSecret,
    flag: 'hook-secret',
    description:
      'Secret with which the site signs its calls to `/hooks/site`. Without it there is no such route. While one is replaced, both are accepted.',
  },
  forward: {
    ...listOf('http and https addresses without user and password', isWebAddress),
    default: [] as readonly string[],
    flag: 'hook-forward',
    hidden: true,
    description: 'Addresses that receive the changes of the site which the gateway learns of or makes.',
  },
  forwardSecret: {
    ...replaceableSecret,
    flag: 'hook-forward-secret',
    description: 'Secret with which the gateway signs its calls to these addresses. While one is replaced, calls are signed with both.',
  },
} as const satisfies Section
