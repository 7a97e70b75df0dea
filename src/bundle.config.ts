import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// What the command line starts, each with its libraries in few files: they load in less than half the time. Everybody else imports the
// files `tsc` has written, and shares their libraries.
export default defineConfig({
  root: here('..'),
  ssr: { noExternal: true, external: ['libsql'] },
  build: {
    ssr: true,
    target: 'node20',
    outDir: here('../dist'),
    emptyOutDir: false,
    minify: false,
    sourcemap: false,
    // The notices of the libraries inside, as their licences ask.
    license: { fileName: 'bundled-licenses.md' },
    rolldownOptions: {
      input: {
        'server/bundled/start': here('../dist/server/start.js'),
        'server/bundled/output': here('../dist/server/log/output.js'),
        'lms/worker.bundled': here('../dist/lms/worker.js'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: 'bundled/[name].js' },
    },
  },
})
