import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Turns fonts embedded in stylesheets into files: a browser then loads only those whose characters it shows. */
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

/** Writes a `.gz` beside each text file, so that the server never compresses. */
const gzipFiles: Plugin = {
  name: 'gzip-files',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const source = file.type === 'chunk' ? file.code : file.source
        if (source.length > 1024 && /\.(?:css|html|js|svg|ttf)$/.test(file.fileName)) {
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipSync(source, { level: 9 }) })
        }
      }
    },
  },
}

export default defineConfig({
  root: here('.'),
  base: '/graphiql/',
  plugins: [fontFiles, gzipFiles],
  worker: { format: 'es' },
  // Whatever the environment says, such as a test runner's, the page is the fast one.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    outDir: here('../../dist/graphiql'),
    emptyOutDir: true,
    // The notices of the libraries inside the page, as their licences ask.
    license: { fileName: 'licenses.md' },
    target: 'es2023',
    // The content security policy of the page allows neither inline scripts nor data URLs for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Some libraries mark their modules for React on a server, which means nothing here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
    // Monaco is one chunk of its own, loaded after the page has drawn.
    chunkSizeWarningLimit: 5000,
  },
})
