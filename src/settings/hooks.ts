import { isWebAddress } from '../upstream/site/site.js'
import { textList } from './names.js'
import { fileName, RELATIVE, type Setting, secrets } from './setting.js'

const commands = ['serve'] as const

const file = { ...fileName, commands, hidden: true } as const

const signing = { ...secrets, commands } as const

/** Webhooks: from the site, and to further addresses. */
export const HOOKS = {
  hookSecret: {
    ...signing,
    env: 'HOOK_SECRET',
    description:
      'Secret with which the site signs its calls to `/hooks/site`. Without it there is no such route. Two, separated by a comma, are both accepted.',
  },
  hookSecretFile: {
    ...file,
    flag: 'hook-secret-file',
    env: 'HOOK_SECRET_FILE',
    description: `File with this secret, or with two on a line each. ${RELATIVE}`,
    fills: 'hookSecret',
  },
  hookForward: {
    flag: 'hook-forward',
    env: 'HOOK_FORWARD',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: textList.refine((addresses) => addresses.every(isWebAddress)).default([]),
    otherwise: 'none',
    allowed: 'a list of http and https addresses without user and password, separated by commas, or `none`',
    description: 'Addresses that receive the changes of the site which the gateway learns of or makes.',
    hidden: true,
  },
  hookForwardSecret: {
    ...signing,
    env: 'HOOK_FORWARD_SECRET',
    description: 'Secret with which the gateway signs its calls to these addresses. Two, separated by a comma, both sign.',
  },
  hookForwardSecretFile: {
    ...file,
    flag: 'hook-forward-secret-file',
    env: 'HOOK_FORWARD_SECRET_FILE',
    description: `File with this secret, or with two on a line each. ${RELATIVE}`,
    fills: 'hookForwardSecret',
  },
} as const satisfies Record<string, Setting>
