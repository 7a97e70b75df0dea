import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyOf } from './markdown.js'
import { ROOT } from './pages.js'

/** The text of a file of the repository. A folder is the texts of its files. */
export function fileText(path: string): string {
  const file = join(ROOT, path)
  if (!statSync(file).isDirectory()) return readFileSync(file, 'utf8')
  const names = readdirSync(file, { withFileTypes: true }).filter((entry) => entry.isFile())
  return names.map(({ name }) => `===== ${join(path, name)} =====\n\n${readFileSync(join(file, name), 'utf8')}`).join('\n')
}

/** Copies files of the repository into the built site. */
export function copyFiles(paths: Iterable<string>, folder: string): void {
  for (const path of paths) {
    const copy = join(folder, copyOf(path))
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, fileText(path))
  }
}
