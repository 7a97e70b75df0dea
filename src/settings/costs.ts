import { z } from 'zod'
import { type Setting, wholeNumber } from './setting.js'

const commands = ['serve'] as const

const audiences = z
  .array(z.enum(['keys', 'admins', 'callers', 'everybody']))
  .nullable()
  .default(null)

/** The budget of REST calls, and who may see estimates. */
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
    description: 'Number of records that estimates assume for a relation without pages, such as `prerequisites`.',
  },
  explainFor: {
    flag: 'explain-for',
    env: 'EXPLAIN_FOR',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: audiences,
    otherwise: 'callers when API keys, tokens or an account are configured, else everybody; none when NODE_ENV is production',
    allowed: 'a list of keys, admins, callers and everybody, separated by commas, or `none`',
    description:
      'Who may have operations explained: `keys` (callers with an API key), `admins` (by their token), `callers` (with any key or token) or `everybody`.',
  },
  explainOthersFor: {
    flag: 'explain-others-for',
    env: 'EXPLAIN_OTHERS_FOR',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: audiences,
    otherwise: 'keys and admins; everybody in front of the embedded LMS, unless NODE_ENV is production',
    allowed: 'a list of keys, admins, callers and everybody, separated by commas, or `none`',
    description:
      'Whose explanations include data about other callers, by the names of `--explain-for`: which calls were shared with them, and how long calls were queued behind theirs.',
  },
} as const satisfies Record<string, Setting>
