import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { defineConfig, type Plugin } from 'vite'
import { licenses } from './bundle/licenses.js'
import { manifest } from './bundle/manifest.js'
import { moduleUrls } from './bundle/module-urls.js'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const SOURCES = pathOf('./')
const OUT = pathOf('../dist')

/** What programs import: `exports` of `package.json` names the same. */
const PUBLIC = ['index', 'kit', 'lms', 'documents']

/** The command, and the files that it and the embedded LMS start by their path. */
const STARTED = ['cli', 'lms/worker']

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

/** Where `tsc` has written the declarations of all modules. */
const DECLARATIONS = pathOf('../dist/build/types')

/**
 * Writes the types that the public entries need. A module that exports one public type and imports a library for its other types does not
 * make programs install that library. Modules stay files: in one file, the members of `columns` would lose their documentation.
 */
const declarations: Plugin = {
  name: 'declarations',
  async closeBundle() {
    const types = await rollup({
      input: Object.fromEntries(PUBLIC.map((name) => [`${name}.d`, join(DECLARATIONS, `${name}.d.ts`)])),
      external: isBuiltin,
      plugins: [dts({ tsconfig: pathOf('./tsconfig.json') })],
      onwarn({ code, message }) {
        // It is about the order in which modules run, and types do not run.
        if (code !== 'CYCLIC_CROSS_CHUNK_REEXPORT') throw new Error(message)
      },
    })
    await types.write({
      dir: join(OUT, 'types'),
      preserveModules: true,
      preserveModulesRoot: DECLARATIONS,
      entryFileNames: '[name].ts',
    })
    await types.close()
  },
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
