import { z } from 'zod'
import { LOG_FORMATS, LOG_LEVELS } from '../server/log/levels.js'
import { onOff, type Setting } from './setting.js'

const commands = ['serve'] as const

/** What the gateway logs, and how. */
export const LOGGING = {
  logLevel: {
    flag: 'log-level',
    env: 'LOG_LEVEL',
    value: 'LEVEL',
    commands,
    schema: z.enum(LOG_LEVELS).default('info'),
    otherwise: 'info',
    allowed: `one of ${LOG_LEVELS.join(', ')}`,
    description: 'Level of the log: operations are logged at `info`, with 5xx at `warn`, faults at `error`, everything else at `debug`.',
  },
  logFormat: {
    flag: 'log-format',
    env: 'LOG_FORMAT',
    value: 'FORMAT',
    commands,
    schema: z.enum(LOG_FORMATS).nullable().default(null),
    otherwise: 'pretty; json when `NODE_ENV` is production',
    allowed: LOG_FORMATS.join(' or '),
    description: 'Format of the log: JSON objects, or text for people.',
  },
  logVariables: {
    flag: 'log-variables',
    env: 'LOG_VARIABLES',
    commands,
    ...onOff,
    description: 'Logs the variables of operations, with secrets redacted by name.',
  },
} as const satisfies Record<string, Setting>
