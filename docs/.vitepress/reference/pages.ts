import { errorsPage } from './errors.js'
import { schemaPages } from './schema.js'
import { settingsPage } from './settings.js'
import { switchesPage } from './switches.js'

/** The text of every generated page, by its path below `docs`. */
export const referencePages = (): Readonly<Record<string, string>> => ({
  'reference/settings.md': settingsPage(),
  'reference/errors.md': errorsPage(),
  'reference/switches.md': switchesPage(),
  ...schemaPages(),
})
