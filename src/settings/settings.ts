import { ACCESS } from './access.js'
import { CACHING } from './cache.js'
import { EXPOSURE } from './exposure.js'
import { GENERAL } from './general.js'
import { HOOKS } from './hooks.js'
import { BOUNDS } from './limits.js'
import { LOGGING } from './logging.js'
import { NAMES } from './names.js'
import { PROTECTING, PROXIES } from './protection.js'
import { SHARING } from './redis.js'

/** Every setting, with its flag, its environment variable, its default and its check. */
export const SETTINGS = {
  ...GENERAL,
  ...NAMES,
  ...ACCESS,
  ...HOOKS,
  ...PROTECTING,
  ...PROXIES,
  ...CACHING,
  ...SHARING,
  ...EXPOSURE,
  ...BOUNDS,
  ...LOGGING,
} as const
