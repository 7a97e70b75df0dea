import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
}

/** The MIT licence, for packages that name it but do not contain its text. */
const MIT = (author: string): string => `MIT License

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE
OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

/** The folder of the installed package that a module is from. */
const folderOf = (module: string): string | undefined =>
  /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)(?=[\\/])/.exec(module)?.[1]

function textOf(folder: string, { name, license, author }: Manifest): string {
  const file = readdirSync(folder).find((each) => /^licen[cs]e(?:[.-]|$)/i.test(each))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim()
  const owner = typeof author === 'object' ? author.name : author?.replace(/\s*<.*/, '')
  if (license !== 'MIT' || !owner) throw new Error(`The package ${name} has no text of its licence. Add it to src/bundle/licenses.ts.`)
  return MIT(owner)
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
