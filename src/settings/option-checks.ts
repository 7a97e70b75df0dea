import { type Check, wrong } from '../options.js'
import { NONE } from './names.js'
import { complaintsOf, type Setting } from './setting.js'
import { SETTINGS } from './settings.js'

/** The check of an option that is a setting too: its value has the same bounds. */
export const asSetting = (name: keyof typeof SETTINGS): Check => {
  const setting: Setting = SETTINGS[name]
  return (value, option) => {
    const text = textOf(value, setting)
    if (text === undefined) return [wrong(value, option, allowedAsOption(setting))]
    const { error } = setting.schema.safeParse(text)
    return error ? complaintsOf(`\`${option}\``, text, { ...setting, allowed: allowedAsOption(setting) }, error) : []
  }
}

/** The checks of options that have the names of settings. */
export const asSettings = <Name extends keyof typeof SETTINGS>(...names: readonly Name[]): Readonly<Record<Name, Check>> =>
  Object.fromEntries(names.map((name) => [name, asSetting(name)])) as Record<Name, Check>

/** The text that a flag would have. Undefined for values of a wrong type. */
function textOf(value: unknown, { holds }: Setting): string | undefined {
  if (holds === 'list') {
    if (!Array.isArray(value) || !value.every((each) => typeof each === 'string' && !each.includes(','))) return undefined
    return value.length === 0 ? NONE : value.join()
  }
  return typeof value === (holds === 'number' || holds === 'boolean' ? holds : 'string') ? String(value) : undefined
}

/** Options hold arrays where settings hold texts with commas. */
const allowedAsOption = ({ allowed }: Setting): string =>
  allowed.replace(/^a list of /, 'an array of ').replace(/, separated by commas|, or `none`/g, '')
