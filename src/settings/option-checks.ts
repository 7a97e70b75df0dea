import { z } from 'zod'
import { wrong } from '../options.js'
import { complaintOf, type Setting } from './setting.js'
import { SETTINGS } from './settings.js'

/** The schema of an option that is a setting too: its value has the same bounds. */
export function asSetting(name: keyof typeof SETTINGS): z.ZodType {
  const setting: Setting = SETTINGS[name]
  // Options hold arrays where settings hold texts with commas.
  const allowed = setting.allowed.replace(/^a list of /, 'an array of ').replace(/, separated by commas|, or `none`/g, '')
  return z.unknown().superRefine((value, context) => {
    const issue = value == null ? 'missing' : setting.schema.safeParse(value).error?.issues[0]
    if (issue === undefined) return
    const isOfType = issue !== 'missing' && (issue.code !== 'invalid_type' || issue.path.length > 0)
    context.addIssue({ code: 'custom', message: isOfType ? complaintOf(value, { ...setting, allowed }) : wrong(value, allowed) })
  })
}

/** The schemas of options that have the names of settings. */
export const asSettings = <Name extends keyof typeof SETTINGS>(...names: readonly Name[]): Readonly<Record<Name, z.ZodType>> =>
  Object.fromEntries(names.map((name) => [name, asSetting(name)])) as Record<Name, z.ZodType>
