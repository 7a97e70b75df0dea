import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Run by the Dockerfile, without development dependencies: writes the SBOM and the licences of the packages in the image.
// The page of GraphiQL contains its packages, where `npm sbom` does not see them. Its build lists them in a file of licences.

const [root, out] = process.argv.slice(2)
const read = (path) => readFileSync(join(root, path), 'utf8')
const modules = join(root, 'node_modules')

// npm installs the native files of libsql for both C libraries, because the lock file does not say which one a package is for.
const libc = process.report.getReport().header.glibcVersionRuntime ? 'musl' : 'gnu'
for (const name of readdirSync(join(modules, '@libsql')))
  if (name.startsWith('linux-') && name.includes(`-${libc}`)) rmSync(join(modules, '@libsql', name), { recursive: true })

const sbom = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], { cwd: root, encoding: 'utf8' }),
)
const page = read('dist/graphiql/licenses.md')
const sections = page.matchAll(/^## (?<name>\S+) - (?<version>\S+) \((?<license>.+)\)$/gm)
const components = new Map(sbom.components.map((component) => [component['bom-ref'], component]))
const application = sbom.dependencies.find(({ ref }) => ref === sbom.metadata.component['bom-ref'])
for (const { name, version, license } of [...sections].map(({ groups }) => groups)) {
  const ref = `${name}@${version}`
  if (components.has(ref)) continue
  components.set(ref, {
    'bom-ref': ref,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${ref.replace(/^@/, '%40')}`,
    licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
    properties: [{ name: 'lms-graphql:bundled', value: 'true' }],
  })
  application.dependsOn.push(ref)
  sbom.dependencies.push({ ref, dependsOn: [] })
}

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
const texts = [`# Licences of installed packages\n\n${[...new Set(installed)].sort().join('\n')}`, page]

mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify({ ...sbom, components: [...components.values()] }, null, 2)}\n`)
writeFileSync(join(out, 'licenses.md'), texts.join('\n'))
writeFileSync(join(out, 'LICENSE'), read('LICENSE'))
