import { ACCESS } from './access.js'
import { EXPOSURE } from './exposure.js'
import { GENERAL } from './general.js'
import { HOSTING } from './hosting.js'
import { BOUNDS } from './limits.js'
import { LOGGING } from './logging.js'
import { NAMES } from './names.js'
import { PROTECTING, PROXIES } from './protection.js'

/** Every setting, with its flag, its environment variable, its default and its check. */
export const SETTINGS = {
  ...GENERAL,
  ...NAMES,
  ...ACCESS,
  ...PROTECTING,
  ...PROXIES,
  ...EXPOSURE,
  ...BOUNDS,
  ...LOGGING,
  ...HOSTING,
} as const
