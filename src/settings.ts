import { ACCESS } from './settings/access.js'
import { GENERAL } from './settings/general.js'

/** Every setting, with its flag, its environment variable, its default and its check. */
export const SETTINGS = { ...GENERAL, ...ACCESS } as const
