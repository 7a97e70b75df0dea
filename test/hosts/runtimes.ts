import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/lms-graphql-runtimes', import.meta.url))

/** Other runtimes, as packages of npm with about 100 MB each: too large for `npm ci`. */
const VERSIONS = { bun: '1.4.5', deno: '2.9.6' } as const
export type Runtime = keyof typeof VERSIONS

/** The program of a runtime, which is installed when it is not there. Undefined when it cannot be had; in CI that is a failure. */
function programOf(runtime: Runtime): string | undefined {
  const folder = `${FOLDER}/${runtime}-${VERSIONS[runtime]}`
  const program = `${folder}/node_modules/.bin/${runtime}`
  try {
    if (!existsSync(program)) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${folder}/package.json`, '{ "private": true }')
      const argv = ['install', '--no-audit', '--no-fund', '--no-save', `${runtime}@${VERSIONS[runtime]}`]
      execFileSync('npm', argv, { cwd: folder, timeout: 180_000, stdio: 'ignore' })
    }
    execFileSync(program, ['--version'], { timeout: 20_000, stdio: 'ignore' })
    return program
  } catch (error) {
    if (process.env.CI) throw new Error(`${runtime} cannot be installed: ${(error as Error).message}`)
    return undefined
  }
}

/** The programs that are there, and why others are not. */
export const RUNTIMES = (Object.keys(VERSIONS) as Runtime[]).map((runtime) => {
  const program = programOf(runtime)
  return { runtime, program: program ?? '', reason: program === undefined ? ` (skipped: ${runtime} cannot be installed)` : '' }
})
