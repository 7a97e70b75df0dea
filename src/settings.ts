import { ACCESS } from './settings/access.js'
import { GENERAL } from './settings/general.js'
import { HOSTING } from './settings/hosting.js'
import { BOUNDS } from './settings/limits.js'
import { LOGGING } from './settings/logging.js'
import { NAMES } from './settings/names.js'
import { PROTECTING, PROXIES } from './settings/protection.js'
import { STRANGERS } from './settings/strangers.js'

/** Every setting, with its flag, its environment variable, its default and its check. */
export const SETTINGS = {
  ...GENERAL,
  ...NAMES,
  ...ACCESS,
  ...PROTECTING,
  ...PROXIES,
  ...STRANGERS,
  ...BOUNDS,
  ...LOGGING,
  ...HOSTING,
} as const
