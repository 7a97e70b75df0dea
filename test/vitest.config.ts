import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LONG, ON_EVERY_PROFILE } from './profiles/suites.js'
import { type Folder, install, isInstalled } from './support/packages.js'
import { ProfileReport } from './support/profile-report.js'

/**
 * Which suites run: `npm test` runs the quick ones, `npm run test:system` those that start processes under load, further kinds of site, and
 * Yoga without the fast JSON path; `npm run soak` runs all of them at full length.
 */
const TIER = process.env.SOAK === '1' ? 'soak' : process.env.SYSTEM === '1' ? 'system' : 'quick'
const root = fileURLToPath(new URL('..', import.meta.url))

/** Suites that use the packages of a folder. They belong to the system tier, and to the quick one where the packages are installed. */
const WITH_PACKAGES: Readonly<Partial<Record<Folder, readonly string[]>>> = {
  docs: ['test/docs/{browser,diagrams}.test.ts'],
  'test/clients': ['test/clients/*.test.ts'],
  'test/express': ['test/express/*.test.ts'],
  'test/routers': ['test/routers/*.test.ts'],
  'test/tracing': ['test/tracing/*.test.ts'],
}

// A gate must not leave suites out.
if (process.env.CI === 'true') await Promise.all(Object.keys(WITH_PACKAGES).map((folder) => install(folder as Folder)))
const missing = (Object.keys(WITH_PACKAGES) as Folder[]).filter((folder) => !isInstalled(folder))
if (missing.length > 0)
  console.log(
    `The packages of ${missing.join(', ')} are not installed: \`npm run packages\` installs them. The suites that use them are left out.`,
  )

/** Suites that cannot run, and what packages bring. */
const LEFT_OUT = ['**/node_modules/**', ...missing.flatMap((folder) => WITH_PACKAGES[folder] ?? [])]

/** Suites in front of one kind of site: every suite in front of the one as specified, and the graph's in front of the others. */
const project = (profile: 'lms' | 'learndash' | 'learndash-5', include: readonly string[], exclude: readonly string[] = []) => ({
  extends: true as const,
  test: { name: profile, include: [...include], exclude: [...LEFT_OUT, ...exclude], setupFiles: SETUP, provide: { profile } },
})

/** `src/accelerators` can be deleted, with the folder of its tests. */
const hasAccelerators = existsSync(fileURLToPath(new URL('accelerators', import.meta.url)))

/** Every suite fails for an exception on the fast path, and where a response writer writes something else than graphql-js. */
const SETUP = ['test/support/no-fallbacks.ts', ...(hasAccelerators ? ['test/accelerators/both-executors.ts'] : [])]

/** Suites that run no operation. */
const PARTS = 'test/{lms,rules,upstream,options,operations-folder}/**/*.test.ts'

/** Suites in front of further kinds of site. */
const FURTHER = TIER === 'soak' ? ON_EVERY_PROFILE : ON_EVERY_PROFILE.filter((suite) => !LONG.includes(suite))

/** Suites that start processes and load them, or take long for another reason. */
const SYSTEM = [
  // Builds a copy of the checkout, and runs the quick tier there.
  'test/accelerators/deletable.test.ts',
  'test/bench/*.test.ts',
  // Pages in Chromium, but for the start of GraphiQL, its operations and the pages of the embedded LMS.
  'test/browser/{accessibility,calls,collection,fields,identity,operations}.test.ts',
  'test/check/usage-load.test.ts',
  'test/cli-log.test.ts',
  'test/clients/{codegen,components}.test.ts',
  'test/docs/{browser,stock-site}.test.ts',
  'test/express/host.test.ts',
  'test/deploy/*.test.ts',
  'test/doctor/{both-ways,clean,config,mutations}.test.ts',
  'test/golden/*.test.ts',
  'test/hosts/{node,runtimes}.test.ts',
  'test/lms/{crash,data-file}.test.ts',
  'test/package/{install,recipes}.test.ts',
  'test/replicas/*.test.ts',
  'test/server/{classroom,crawler,exhaustion,flood,https,kept-credentials,load,many-clients,memory,memory-budget,outlived,reload,secrets,signals,soak,strangers}.test.ts',
  'test/tracing/export.test.ts',
]

/** Suites with a short version in the quick tier, and the whole one in the system tier. */
const WHOLE = ['test/check/untouched.test.ts', 'test/operations/random.test.ts', 'test/server/{account-roles,resolver}.test.ts']

/** Suites of HTTP and of privacy, once more without the fast JSON path. */
const yoga = {
  extends: true as const,
  test: {
    name: 'yoga',
    setupFiles: SETUP,
    include: ['test/server/*.test.ts', 'test/express/mounting.test.ts', 'test/operations/failures.test.ts'],
    exclude: [
      ...LEFT_OUT,
      'test/server/{use-graphiql,https,load,garbage,faults,memory,protection,leaving,fairness,sharing,signals,soak,certificates,proxies,resolver,watched-operations}.test.ts',
      // These take both paths themselves, or none.
      'test/server/{attacks,audits,limits,outlived,strangers}.test.ts',
      // Every error is asked for on both paths by `short-path.test.ts`.
      ...(TIER === 'soak' ? [] : ['test/server/error-codes.test.ts']),
    ],
    env: { SHORT_PATH: 'false' },
    provide: { profile: 'lms' as const },
  },
}

const parts = { extends: true as const, test: { name: 'parts', include: [PARTS], provide: { profile: 'lms' as const } } }
const further = [project('learndash', FURTHER), project('learndash-5', FURTHER), yoga]
const PROJECTS = {
  quick: [project('lms', ['test/**/*.test.ts'], [PARTS, ...SYSTEM]), { ...parts, test: { ...parts.test, exclude: SYSTEM } }],
  system: [
    project('lms', [...SYSTEM, ...WHOLE, ...Object.values(WITH_PACKAGES).flat()], [PARTS]),
    { ...parts, test: { ...parts.test, include: SYSTEM.filter((path) => path.startsWith('test/lms/')) } },
    ...further,
  ],
  soak: [project('lms', ['test/**/*.test.ts'], [PARTS]), parts, ...further],
}

export default defineConfig({
  root,
  // The copy of graphql that packages get from Node, also where Vite would choose another one.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A poll ends as soon as it holds; on a loaded machine that takes longer than a second.
    expect: { poll: { timeout: 10_000 } },
    // A gate shares its machine with others. A test that passes only the second time is listed at the end.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    maxWorkers: 3,
    // Files share their processes: loading the gateway for each file takes as long as running many of them.
    isolate: false,
    globalSetup: hasAccelerators ? ['test/accelerators/count-executors.ts'] : [],
    reporters: ['default', new ProfileReport(ON_EVERY_PROFILE)],
    projects: PROJECTS[TIER],
  },
})
