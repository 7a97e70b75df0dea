import { type Settings, writeSettingsFile } from '../options/settings-file.js'
import { QUIRKS } from '../options/site.js'
import type { Examination } from './examine.js'
import { closestPreset } from './names.js'

/** The settings for an examined site: its preset, and the quirks in which it differs. Does not set the account and the access of callers. */
export function configOf({ site, maxInFlight }: Examination): Settings {
  const { preset, names } = closestPreset(site)
  const quirks = Object.entries(names).filter(([name]) => Object.hasOwn(QUIRKS, name))
  return {
    site: { url: site.url, preset, ...Object.fromEntries(quirks) },
    ...(maxInFlight !== undefined && { protection: { maxInFlight } }),
  }
}

/** The settings as a file for `serve --config FILE`. */
export const configText = (examination: Examination): string => writeSettingsFile(configOf(examination))
