import { type Section, wholeNumber, wholeNumberOr } from './option.js'

/** Sizes of operations, requests and responses. */
export const LIMITS = {
  maxCalls: {
    ...wholeNumberOr(300, 1, 100_000),
    description: 'REST calls one operation may make; one that is expected to need more is refused before the first.',
  },
  maxRows: { ...wholeNumberOr(1_000, 1, 10_000), description: 'Largest `first` and `last` of a list.' },
  maxTokens: { ...wholeNumberOr(10_000, 10, 1_000_000), description: 'Tokens in a document.' },
  maxDepth: { ...wholeNumberOr(20, 1, 100), description: 'Depth of fields in an operation, with its fragments spread.' },
  maxAliases: { ...wholeNumberOr(2_000, 0, 100_000), description: 'Aliases in a document.' },
  maxBodyBytes: { ...wholeNumberOr(100_000, 1, 100_000_000, 'bytes'), description: 'Largest body of a request to the gateway, in bytes.' },
  maxAnswerSize: { ...wholeNumberOr(10_000_000, 1_000, 200_000_000), description: 'Characters of the data in an answer.' },
  operationsPerMinute: {
    ...wholeNumber(0, 1_000_000_000),
    otherwise: 'unlimited; 120,000 when `NODE_ENV` is production',
    description: 'Operations of one client per minute; 0: unlimited. A client is a verified caller, or a network address with all others.',
  },
  callsPerMinute: {
    ...wholeNumber(0, 1_000_000_000),
    otherwise: 'unlimited; 12,000 for each call of `maxInFlight` when `NODE_ENV` is production',
    description: 'REST calls of one client per minute; 0: unlimited. Further operations are refused when they are used up.',
  },
  documentCostPerMinute: {
    ...wholeNumber(0, 1_000_000_000_000),
    otherwise: 'unlimited; 5,000,000 when `NODE_ENV` is production',
    description:
      'Cost of the new documents of one client per minute; 0: unlimited. A document costs its characters, and 300 for each field and fragment that it selects. Documents that have run before and trusted ones cost nothing.',
  },
  memoryBudget: {
    ...wholeNumber(1, 1_000_000_000_000, 'bytes'),
    value: 'BYTES',
    needsRestart: true,
    otherwise: 'a quarter of the heap limit or of the memory limit of the container, whichever is smaller',
    description:
      'Bytes that requests, answers of the site and responses may hold together in this process; new operations are refused from three quarters on.',
  },
} as const satisfies Section
