import { z } from 'zod'
import { LOG_FORMATS, LOG_LEVELS } from '../server/log/levels.js'
import { onOff, type Setting } from './setting.js'

const commands = ['serve'] as const

/** What is written of what the gateway does, and how. */
export const LOGGING = {
  logLevel: {
    flag: 'log-level',
    env: 'LOG_LEVEL',
    value: 'LEVEL',
    commands,
    schema: z.enum(LOG_LEVELS).default('info'),
    otherwise: 'info',
    allowed: `one of ${LOG_LEVELS.join(', ')}`,
    description: 'How much is logged: operations at `info`, those answered with 5xx at `warn`, faults at `error`, all else at `debug`.',
  },
  logFormat: {
    flag: 'log-format',
    env: 'LOG_FORMAT',
    value: 'FORMAT',
    commands,
    schema: z.enum(LOG_FORMATS).nullable().default(null),
    otherwise: 'pretty; json where `NODE_ENV` is production',
    allowed: LOG_FORMATS.join(' or '),
    description: 'Whether a line of the log is an object in JSON, or a sentence for people.',
  },
  logVariables: {
    flag: 'log-variables',
    env: 'LOG_VARIABLES',
    commands,
    ...onOff,
    description: 'Shows the variables of operations in the log, without what is named like a secret.',
  },
} as const satisfies Record<string, Setting>
