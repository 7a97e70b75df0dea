import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGE_FOLDER } from './package-folder.js'

type Names = Readonly<Record<string, string>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Names
  readonly optionalDependencies?: Names
  readonly peerDependencies?: Names
}

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The version of this package; `unknown` in a program that contains the package without its `package.json`. */
export function packageVersion(): string {
  try {
    return manifestIn(fileURLToPath(PACKAGE_FOLDER)).version
  } catch {
    return 'unknown'
  }
}

/** This package and all packages that it runs with, each with its version as it is installed here. */
export function installedPackages(): readonly [string, ...string[]] {
  const packages = new Map<string, string>()
  const visit = (folder: string): void => {
    if (packages.has(folder)) return
    const { name, version, ...needs } = manifestIn(folder)
    packages.set(folder, `${name} ${version}`)
    for (const each of Object.keys({ ...needs.dependencies, ...needs.optionalDependencies, ...needs.peerDependencies })) {
      const found = folderOf(each, folder)
      if (found !== undefined) visit(found)
    }
  }
  visit(fileURLToPath(PACKAGE_FOLDER))
  const [own, ...others] = packages.values()
  return [own as string, ...[...new Set(others)].sort()]
}

/** Where a package is installed that another one imports; undefined for an optional one that is missing. */
function folderOf(name: string, importer: string): string | undefined {
  for (let folder = importer; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    // Package managers can install a package as a symbolic link. Its own dependencies are then beside its real folder.
    if (existsSync(join(found, 'package.json'))) return realpathSync(found)
    if (folder === dirname(folder)) return undefined
  }
}
