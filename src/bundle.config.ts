import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const OUT = pathOf('../dist')

/** What programs import: `exports` of `package.json` names the same. */
const PUBLIC = ['index', 'kit', 'lms', 'documents']

/** The command, and the files that it and the embedded LMS start by their path. */
const STARTED = ['cli', 'lms/worker']

/** What benchmarks and the golden record start with a tuning. No program can import it. */
const TUNED = ['start', 'server/log/output']

/** What the build runs itself; not published, so nothing that the command imports can be here. */
const STEPS = ['make-schema', 'lms/make-school']

/** Removes the files of the last build, but not the page of GraphiQL, which has a build of its own. */
const clean: Plugin = {
  name: 'clean',
  buildStart() {
    for (const name of existsSync(OUT) ? readdirSync(OUT) : []) if (name !== 'graphiql') rmSync(join(OUT, name), { recursive: true })
  },
}

const entries = (names: readonly string[], folder = '') => names.map((name) => [`${folder}${name}`, pathOf(`./${name}.ts`)])

// One build of all entries: they share their modules, so that none exists twice in a process. It joins the modules of this package, because
// 280 files take 100 ms longer to import than a few. Packages are imported.
export default defineConfig({
  root: pathOf('..'),
  plugins: [clean],
  ssr: { external: true },
  build: {
    ssr: true,
    target: 'node20',
    outDir: OUT,
    emptyOutDir: false,
    minify: false,
    sourcemap: false,
    rolldownOptions: {
      input: Object.fromEntries([...entries([...PUBLIC, ...STARTED, ...TUNED]), ...entries(STEPS, 'build/')]),
      // In no folder of their own: `package-folder.ts` is then as far below the folder of the package as it is from source.
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunk-[name].js' },
    },
  },
})
