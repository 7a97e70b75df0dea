import { CACHE } from '../upstream/cache/options.js'
import { fileName, maxAgeText, onOff, RELATIVE, type Setting, secrets, wholeNumber } from './setting.js'

const commands = ['serve'] as const

/** The cache of the site's answers. */
export const CACHING = {
  cache: {
    flag: 'cache',
    env: 'CACHE',
    value: 'SECONDS',
    commands,
    ...maxAgeText,
    description:
      'Seconds for which answers of the site are kept and used, by record type. Without it there is no cache. A change that a gateway makes, or that the site reports to its webhook, ends their use at once.',
  },
  cacheForCallers: {
    flag: 'cache-for-callers',
    env: 'CACHE_FOR_CALLERS',
    value: 'SECONDS',
    commands,
    ...wholeNumber(0, 86_400, CACHE.forCallers),
    description: 'Most seconds for answers to callers with credentials, who never share them; 0: such answers are not kept.',
  },
  cacheBytes: {
    flag: 'cache-bytes',
    env: 'CACHE_BYTES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(100_000, 100_000_000_000, CACHE.bytes),
    description: 'Largest memory of the kept answers in each process, in bytes.',
  },
  staleWhileRevalidate: {
    flag: 'stale-while-revalidate',
    env: 'STALE_WHILE_REVALIDATE',
    value: 'SECONDS',
    commands,
    ...wholeNumber(0, 604_800, CACHE.staleWhileRevalidate),
    description: 'Further seconds for which a kept answer that nobody has changed is used while it is read again.',
  },
  cacheStaleness: {
    flag: 'cache-staleness',
    env: 'CACHE_STALENESS',
    value: 'SECONDS',
    commands,
    ...wholeNumber(0, 86_400, CACHE.staleness),
    description:
      'Seconds for which other gateways may show data from before a change that was made while they could not be told; kept answers are used for no longer. 0: such changes are refused.',
  },
  cacheSecret: {
    env: 'CACHE_SECRET',
    ...secrets,
    commands,
    description:
      'Key of the fingerprints under which answers to callers with credentials are shared in Redis: the same for all gateways. Without it they are not shared. With two, separated by a comma, answers are shared with the first and looked up with both.',
  },
  cacheSecretFile: {
    flag: 'cache-secret-file',
    env: 'CACHE_SECRET_FILE',
    ...fileName,
    commands,
    description: `File with the text of \`CACHE_SECRET\`, or with two on a line each. ${RELATIVE}`,
    hidden: true,
    fills: 'cacheSecret',
  },
  shareInFlight: {
    flag: 'share-in-flight',
    env: 'SHARE_IN_FLIGHT',
    commands,
    ...onOff,
    description:
      'Whether reads also share calls that were sent before their operation started. Only for a site that nobody else changes: an answer may be older than a change by another gateway or an editor.',
  },
} as const satisfies Record<string, Setting>
