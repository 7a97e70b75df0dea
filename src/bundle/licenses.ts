import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
}

/** The MIT licence, which is also that of this package, for packages that name it but do not contain its text. */
const mitOf = (owner: string): string =>
  readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8')
    .trim()
    .replace(/^Copyright .*$/m, `Copyright (c) ${owner}`)

/** The folder of the installed package that a module is from. */
const folderOf = (module: string): string | undefined =>
  /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)(?=[\\/])/.exec(module)?.[1]

function textOf(folder: string, { name, license, author }: Manifest): string {
  const file = readdirSync(folder).find((each) => /^licen[cs]e(?:[.-]|$)/i.test(each))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim()
  const owner = typeof author === 'object' ? author.name : author?.replace(/\s*<.*/, '')
  if (license !== 'MIT' || !owner) throw new Error(`The package ${name} has no text of its licence. Add it to src/bundle/licenses.ts.`)
  return mitOf(owner)
}

/** Writes the name, the version and the licence of each package in the bundle, as their licences ask. */
export function licenses(fileName: string): Plugin {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = new Set(modules.flatMap((module) => folderOf(module) ?? []))
      const sections = [...folders].map((folder) => {
        if (!existsSync(join(folder, 'package.json'))) throw new Error(`${folder} is not a package.`)
        const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
        return `## ${manifest.name} - ${manifest.version} (${manifest.license})\n\n${textOf(folder, manifest)}\n`
      })
      const source = `# Licences of third parties\n\nThe JavaScript files of this package contain these packages.\n\n${[...new Set(sections)].sort().join('\n')}`
      this.emitFile({ type: 'asset', fileName, source })
    },
  }
}
