import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { writeDeclarations } from './bundle/declarations.js'
import { licenses } from './bundle/licenses.js'
import { manifest } from './bundle/manifest.js'
import { moduleUrls } from './bundle/module-urls.js'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const SOURCES = pathOf('./')
const OUT = pathOf('../dist')

/** What programs import: `exports` of `package.json` names the same. */
const PUBLIC = ['index', 'kit', 'lms', 'documents']

/** The command, and the files that it and the embedded LMS start by their path. */
const STARTED = ['cli', 'server/cluster/worker', 'lms/worker']

/** What the build runs itself; not published. */
const STEPS = ['make-schema', 'lms/make-school']

/** Folders of `dist` that other steps of the build write. */
const OF_OTHER_STEPS = ['build', 'graphiql']

const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(readFileSync(pathOf('../package.json'), 'utf8'))

/** Removes the files of the last build, since names of chunks change. */
const clean: Plugin = {
  name: 'clean',
  buildStart() {
    for (const name of readdirSync(OUT)) if (!OF_OTHER_STEPS.includes(name)) rmSync(join(OUT, name), { recursive: true })
  },
}

/** Writes the types of the public entries. `tsc` has written those of all modules. */
const declarations: Plugin = {
  name: 'declarations',
  closeBundle: () => writeDeclarations({ from: pathOf('../dist/build/types'), to: join(OUT, 'types'), entries: PUBLIC }),
}

const entries = (names: readonly string[], folder = '') => names.map((name) => [`${folder}${name}`, pathOf(`./${name}.ts`)])

// One bundle of all entries: they share their modules, so that none exists twice in a process. The packages of `dependencies` are imported,
// because programs share them with the gateway: `graphql`, Pothos and DataLoader. All others are in the bundle: they load in a fraction of the
// time, and every installation has the versions that were tested.
export default defineConfig({
  root: pathOf('..'),
  plugins: [clean, moduleUrls(SOURCES), manifest(pathOf('..'), 'build/modules.json'), licenses('THIRD-PARTY-LICENSES.md'), declarations],
  ssr: { noExternal: true, external: Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }) },
  build: {
    ssr: true,
    target: 'node20',
    outDir: OUT,
    emptyOutDir: false,
    minify: false,
    sourcemap: false,
    rolldownOptions: {
      input: Object.fromEntries([...entries([...PUBLIC, ...STARTED]), ...entries(STEPS, 'build/')]),
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name].js',
        comments: { legal: true, annotation: true, jsdoc: false },
      },
    },
  },
})
