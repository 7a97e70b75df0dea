import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DOCS } from '../pages.js'
import { optionTypes } from './option-types.js'
import { referencePages } from './pages.js'

// Writes the reference: `npm run docs:reference`.

rmSync(`${DOCS}reference`, { recursive: true, force: true })
for (const [path, text] of Object.entries(referencePages())) {
  mkdirSync(dirname(`${DOCS}${path}`), { recursive: true })
  writeFileSync(`${DOCS}${path}`, text)
}
writeFileSync(`${DOCS}../src/options/given.ts`, optionTypes())
