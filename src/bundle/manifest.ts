import { relative, sep } from 'node:path'
import type { Plugin } from 'vite'

/** Writes which modules are in each file of the bundle, by their paths below `root`. Tests read it; it is not published. */
export function manifest(root: string, fileName: string): Plugin {
  return {
    name: 'manifest',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? [[file.fileName, file.moduleIds.map((id) => relative(root, id).replaceAll(sep, '/')).sort()] as const] : [],
      )
      this.emitFile({ type: 'asset', fileName, source: JSON.stringify(Object.fromEntries(files), null, 1) })
    },
  }
}
