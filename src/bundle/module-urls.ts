import type { Plugin } from 'vite'

const MARK = '__moduleUrl'

/**
 * Keeps the meaning of `import.meta.url` in bundled modules: the address at which the module would be below the output folder if every
 * module were a file of its own. Paths that are relative to a module are then the same in the bundle and from source.
 */
export function moduleUrls(sources: string): Plugin {
  return {
    name: 'module-urls',
    enforce: 'pre',
    transform: {
      filter: { code: /import\.meta\.url/ },
      handler(code, id) {
        if (!id.startsWith(sources)) return undefined
        const path = id.slice(sources.length).replace(/\.ts$/, '.js')
        return { code: code.replaceAll('import.meta.url', `${MARK}('${path}')`), map: null }
      },
    },
    renderChunk(code, { fileName }) {
      const top = '../'.repeat(fileName.split('/').length - 1) || './'
      const marked = new RegExp(`${MARK}\\(["']([^"']+)["']\\)`, 'g')
      return code.includes(MARK)
        ? { code: code.replace(marked, (_, path) => `new URL('${top}${path}', import.meta.url).href`), map: null }
        : undefined
    },
  }
}
