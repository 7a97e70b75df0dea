import { isRedisUrl } from './addresses.js'
import { offByDefault, type Section, secrets, text } from './option.js'

/** What several gateways share. */
export const REDIS = {
  url: {
    ...secrets(
      isRedisUrl,
      'an address such as redis://127.0.0.1:6379 or, with TLS, rediss://user:password@host:6379/0; or those of the nodes of a cluster',
      1_000,
    ),
    flag: 'redis-url',
    value: 'URL',
    description: 'Address of Redis or Valkey, with which several gateways share what they keep and what they know of changes.',
  },
  cluster: {
    ...offByDefault,
    flag: 'redis-cluster',
    description: 'Whether a single address is a node of a Redis Cluster; several addresses always are.',
  },
  siteId: {
    ...text(/^\P{Cc}{1,200}$/u, '1 to 200 characters without control characters'),
    otherwise: 'the address that the site says it has',
    description:
      'Name of the site in Redis: gateways with the same one share what they keep of the site. Set the same text on all gateways when the site reports no address, or a different one to each gateway; and another text for each further site.',
  },
} as const satisfies Section
