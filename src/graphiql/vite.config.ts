import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Extracts embedded fonts from stylesheets into files, so that browsers load only the fonts they need. */
const fontFiles: Plugin = {
  name: 'font-files',
  apply: 'build',
  enforce: 'pre',
  transform: {
    filter: { id: /\.css$/ },
    handler(code) {
      const embedded = /url\(["']?data:font\/(\w+);base64,([^"')]+)["']?\)/g
      const extracted = code.replaceAll(embedded, (_match, format: string, base64: string) => {
        const source = Buffer.from(base64, 'base64')
        return `url(__VITE_ASSET__${this.emitFile({ type: 'asset', name: `font.${format}`, source })}__)`
      })
      return extracted === code ? undefined : { code: extracted, map: null }
    },
  },
}

/** Compresses text files: each is published once, as `.gz`. The server decompresses it for the rare client that does not accept gzip. */
const gzipFiles: Plugin = {
  name: 'gzip-files',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const source = file.type === 'chunk' ? file.code : file.source
        if (source.length <= 1024 || !/\.(?:css|html|js|svg|ttf)$/.test(file.fileName)) continue
        this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipSync(source, { level: 9 }) })
        delete bundle[file.fileName]
      }
    },
  },
}

/**
 * Lets the page load the editors at once. Without it, the browser learns of them when GraphiQL is rendered, because GraphiQL imports them
 * dynamically.
 */
const preloadEditors: Plugin = {
  name: 'preload-editors',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const chunks = new Map(Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])))
      /** Chunks of modules, with all that they import statically. */
      const chunksOf = (matches: (id: string) => boolean) => {
        const found = new Set([...chunks.values()].filter(({ facadeModuleId }) => matches(facadeModuleId ?? '')))
        for (const chunk of found) for (const name of chunk.imports) found.add(chunks.get(name) as typeof chunk)
        return found
      }
      // What the page imports statically has links already.
      const linked = chunksOf((id) => id.endsWith('/src/graphiql/index.html'))
      const editors = [...chunksOf((id) => /\/monaco-graphql\/esm\/(?:monaco-editor|lite)\.js$/.test(id))].filter(
        (chunk) => !linked.has(chunk),
      )
      const link = (attrs: Record<string, string>, file: string) => ({
        tag: 'link',
        attrs: { ...attrs, crossorigin: true, href: `./${file}` },
        injectTo: 'head' as const,
      })
      return [
        ...editors.map(({ fileName }) => link({ rel: 'modulepreload' }, fileName)),
        ...editors.flatMap(({ viteMetadata }) =>
          [...(viteMetadata?.importedCss ?? [])].map((file) => link({ rel: 'preload', as: 'style' }, file)),
        ),
      ]
    },
  },
}

export default defineConfig({
  root: pathOf('.'),
  // Relative links: the gateway may be mounted at any path.
  base: './',
  plugins: [fontFiles, preloadEditors, gzipFiles],
  worker: { format: 'es' },
  // Always a production build, also in the environment of a test runner.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    outDir: pathOf('../../dist/graphiql'),
    emptyOutDir: true,
    // The license notices of the bundled libraries.
    license: { fileName: 'licenses.md' },
    target: 'es2023',
    // The content security policy of the page allows neither inline scripts nor data URLs for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Some libraries have directives for React Server Components, which have no effect here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
    // Monaco is a separate chunk, loaded after the page is rendered.
    chunkSizeWarningLimit: 5000,
  },
})
