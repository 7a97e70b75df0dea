import { z } from 'zod'
import { isRedisUrl, REDIS } from '../server/redis/options.js'
import { Secret } from './secret.js'
import { fileName, onOff, RELATIVE, type Setting, wholeNumber } from './setting.js'

const commands = ['serve'] as const

/** Redis or Valkey, for what several gateways share. */
export const SHARING = {
  redisUrl: {
    env: 'REDIS_URL',
    value: 'URL',
    commands,
    schema: z
      .string()
      .refine((text) => text.split(',').every(isRedisUrl))
      .transform((text) => new Secret(text))
      .nullable()
      .default(null),
    otherwise: 'none',
    allowed:
      'an address such as redis://127.0.0.1:6379 or, with TLS, rediss://user:password@host:6379/0; several of a cluster separated by commas',
    description: 'Address of Redis or Valkey, with which several gateways share what they keep and what they know of changes.',
    hidden: true,
  },
  redisUrlFile: {
    flag: 'redis-url-file',
    env: 'REDIS_URL_FILE',
    ...fileName,
    commands,
    description: `File with the text of \`REDIS_URL\`. ${RELATIVE}`,
    hidden: true,
    fills: 'redisUrl',
  },
  redisCluster: {
    flag: 'redis-cluster',
    env: 'REDIS_CLUSTER',
    commands,
    ...onOff,
    description: 'Whether a single address is a node of a Redis Cluster; several addresses always are.',
  },
  redisTimeout: {
    flag: 'redis-timeout',
    env: 'REDIS_TIMEOUT',
    value: 'MS',
    commands,
    ...wholeNumber(10, 60_000, REDIS.timeout),
    description: 'Milliseconds for a command of Redis; a read then goes to the site.',
  },
  redisPrefix: {
    flag: 'redis-prefix',
    env: 'REDIS_PREFIX',
    value: 'TEXT',
    commands,
    schema: z
      .string()
      .regex(/^[\w.:-]{1,50}$/)
      .default(REDIS.prefix),
    otherwise: REDIS.prefix,
    allowed: '1 to 50 letters, digits, `.`, `:`, `-` or `_`',
    description: 'Start of all keys in Redis.',
  },
  siteId: {
    flag: 'site-id',
    env: 'SITE_ID',
    value: 'TEXT',
    commands,
    schema: z
      .string()
      .regex(/^\P{Cc}{1,200}$/u)
      .nullable()
      .default(null),
    otherwise: 'the address that the site says it has',
    allowed: '1 to 200 characters without control characters',
    description:
      'Name of the site in Redis: gateways with the same one share what they keep of the site. Set it to the same text for all gateways when the site does not say its address, or says another one to each of them.',
  },
} as const satisfies Record<string, Setting>
