import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sbomOf, writeSbom } from './sbom.mjs'

// Run by the Dockerfile, without development dependencies: writes the SBOM and the licences of the packages in the image.

const [root, out] = process.argv.slice(2)
const read = (path) => readFileSync(join(root, path), 'utf8')
const modules = join(root, 'node_modules')

// npm installs the native files of libsql for both C libraries, because the lock file does not say which one a package is for.
const libc = process.report.getReport().header.glibcVersionRuntime ? 'musl' : 'gnu'
for (const name of readdirSync(join(modules, '@libsql')))
  if (name.startsWith('linux-') && name.includes(`-${libc}`)) rmSync(join(modules, '@libsql', name), { recursive: true })

/** The text of the licence of an installed package. The packages with the native files of libsql have the one of libsql. */
function licenseOf(path) {
  const folder = join(modules, path.replace(/^@libsql\/.*/, 'libsql'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e(?:[.-]|$)/i.test(each))
  return file === undefined ? 'The package has no text of its licence.' : readFileSync(join(folder, file), 'utf8').trim()
}

const NAME = /(?:@[^/]+\/)?[^/@.][^/]*/.source
const installed = readdirSync(modules, { recursive: true, encoding: 'utf8' })
  .filter((path) => new RegExp(`^(?:${NAME}/node_modules/)*${NAME}/package\\.json$`).test(path))
  .map((path) => ({ folder: dirname(path), ...JSON.parse(readFileSync(join(modules, path), 'utf8')) }))
  .map(({ folder, name, version, license }) => `## ${name} - ${version} (${license})\n\n${licenseOf(folder)}\n`)
const texts = [`# Licences of installed packages\n\n${[...new Set(installed)].sort().join('\n')}`, read('dist/graphiql/licenses.md')]

mkdirSync(out, { recursive: true })
writeSbom(join(out, 'sbom.cdx.json'), sbomOf(root))
writeFileSync(join(out, 'licenses.md'), texts.join('\n'))
writeFileSync(join(out, 'LICENSE'), read('LICENSE'))
