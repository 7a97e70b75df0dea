import { ACCESS } from './settings/access.js'
import { GENERAL } from './settings/general.js'
import { NAMES } from './settings/names.js'
import { PROTECTING } from './settings/protection.js'

/** Every setting, with its flag, its environment variable, its default and its check. */
export const SETTINGS = { ...GENERAL, ...NAMES, ...ACCESS, ...PROTECTING } as const
