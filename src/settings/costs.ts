import { z } from 'zod'
import { NONE } from './names.js'
import { type Setting, wholeNumber } from './setting.js'

const commands = ['serve'] as const

const audiences = z
  .string()
  .transform((text): string[] => (text === NONE ? [] : text.split(',').map((each) => each.trim())))
  .pipe(z.array(z.enum(['keys', 'admins', 'callers', 'everybody'])))
  .nullable()
  .default(null)

/** What operations may cost the site, and to whom that is told. */
export const COSTS = {
  maxCalls: {
    flag: 'max-calls',
    env: 'MAX_CALLS',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 100_000, 300),
    description: 'REST calls one operation may make; one that is expected to need more is refused before the first.',
  },
  maxUnpaged: {
    flag: 'max-unpaged',
    env: 'MAX_UNPAGED',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 1_000, 10),
    description: 'Records that a relation without pages, such as `prerequisites`, is taken to lead to at most when operations are priced.',
  },
  explainFor: {
    flag: 'explain-for',
    env: 'EXPLAIN_FOR',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: audiences,
    otherwise: 'callers where API keys, tokens or an account are configured, else everybody; none where NODE_ENV is production',
    allowed: 'a list of keys, admins, callers and everybody, separated by commas, or `none`',
    description:
      'Who may ask what an operation costs: `keys` (callers with an API key), `admins` (by their token), `callers` (with any key or token) or `everybody`.',
  },
} as const satisfies Record<string, Setting>
