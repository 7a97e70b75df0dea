import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { start, stopServers } from './servers.mjs'

/** Lengths of the lists that are asked for. */
const LENGTHS = [100, 1_000, 10_000]

/** Prints what 1,000 records of lists cost, by the length of the list; returns the exit code. */
export async function lists() {
  try {
    const { origin } = await start('many.mjs')
    console.log('| records | CPU ms per 1,000 | MB per 1,000 |\n| ---: | ---: | ---: |')
    for (const length of LENGTHS) {
      const { cpu, megabytes } = await measured(origin, length)
      console.log(`| ${length} | ${cpu.toFixed(2)} | ${megabytes.toFixed(2)} |`)
    }
    return 0
  } finally {
    await stopServers()
  }
}

/** In a process of its own, whose young generation is so large that nothing is collected while memory is measured. */
async function measured(upstream, length) {
  const script = fileURLToPath(new URL('list.mjs', import.meta.url))
  const argv = ['--expose-gc', '--max-semi-space-size=1024', '--min-semi-space-size=1024', script, upstream, String(length)]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env: { PATH: process.env.PATH, NODE_ENV: 'production' } })
  return JSON.parse(stdout)
}
