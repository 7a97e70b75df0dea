import { replaceableSecret, type Section, secondsByType, wholeNumberOr } from './option.js'

const seconds = (otherwise: number, most: number) => ({ ...wholeNumberOr(otherwise, 0, most, 'seconds'), value: 'SECONDS' })

/** Answers of the site that are kept. */
export const CACHE = {
  maxAge: {
    ...secondsByType,
    flag: 'cache',
    otherwise: 'none: nothing is kept',
    description:
      'Seconds for which answers of the site are kept, by record type. A change that a gateway makes, or that the site reports to its webhook, ends their use at once.',
  },
  forCallers: {
    ...seconds(10, 86_400),
    flag: 'cache-for-callers',
    description: 'Most seconds for answers to callers with credentials, who never share them; 0: such answers are not kept.',
  },
  bytes: {
    ...wholeNumberOr(50_000_000, 100_000, 100_000_000_000, 'bytes'),
    flag: 'cache-bytes',
    description: 'Largest memory of the kept answers in this process, in bytes.',
  },
  staleWhileRevalidate: {
    ...seconds(0, 604_800),
    description: 'Further seconds for which a kept answer that nobody has changed is used while it is read again.',
  },
  staleIfError: {
    ...seconds(0, 604_800),
    description:
      'Seconds for which the last good answer to an anonymous read replaces answers of a failing site, with or without a cache; 0: never.',
  },
  staleness: {
    ...seconds(0, 86_400),
    flag: 'cache-staleness',
    description:
      'Seconds for which other gateways may show data from before a change that was made while they could not be told; kept answers are used for no longer. 0: such changes are refused.',
  },
  secret: {
    ...replaceableSecret,
    flag: 'cache-secret',
    description:
      'Key of the fingerprints under which answers to callers with credentials are shared in Redis. Without it they are not shared. All gateways have the same. While one is replaced, the old one is the second.',
  },
} as const satisfies Section
