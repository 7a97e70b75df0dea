import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The SBOM of the packages that run, by CycloneDX: those in a folder, or with the flag `--package-lock-only` those of its lock file. The page of
 * GraphiQL contains further packages, where `npm sbom` does not see them. Its build lists them in a file of licences.
 */
export function sbomOf(root, ...flags) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', ...flags]
  const sbom = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 }))
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { component } = sbom.metadata
  // npm takes the name of the folder.
  component.name = manifest.name
  keepWhatRuns(sbom, { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies })
  const sections = readFileSync(join(root, 'dist/graphiql/licenses.md'), 'utf8').matchAll(
    /^## (?<name>\S+) - (?<version>\S+) \((?<license>.+)\)$/gm,
  )
  const components = new Map(sbom.components.map((each) => [each['bom-ref'], each]))
  const application = sbom.dependencies.find(({ ref }) => ref === component['bom-ref'])
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
  return { ...sbom, components: [...components.values()] }
}

/** Leaves out what only development needs. `--omit=dev` also leaves out what is needed for both. */
function keepWhatRuns(sbom, direct) {
  const needs = new Map(sbom.dependencies.map((each) => [each.ref, each]))
  const names = new Map(sbom.components.map((each) => [each['bom-ref'], each.name]))
  const root = needs.get(sbom.metadata.component['bom-ref'])
  root.dependsOn = root.dependsOn.filter((ref) => Object.hasOwn(direct, names.get(ref)))
  const kept = new Set([root.ref])
  for (const ref of kept) for (const each of needs.get(ref).dependsOn) kept.add(each)
  sbom.components = sbom.components.filter((each) => kept.has(each['bom-ref']))
  for (const each of sbom.components) each.properties = each.properties.filter(({ name }) => name !== 'cdx:npm:package:development')
  sbom.dependencies = sbom.dependencies.filter(({ ref }) => kept.has(ref))
}

export const writeSbom = (path, sbom) => writeFileSync(path, `${JSON.stringify(sbom, null, 2)}\n`)

// The SBOM of the package, which npm installs on all platforms.
if (process.argv[1] === fileURLToPath(import.meta.url)) writeSbom('dist/sbom.cdx.json', sbomOf(process.cwd(), '--package-lock-only'))
