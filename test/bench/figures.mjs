import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('figures.json', import.meta.url)
/** The major version of the Node that runs. */
export const [MAJOR] = process.versions.node.split('.')

const rounded = (ratio) => Math.round(ratio * 100) / 100
const committed = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/**
 * CPU per operation as ratios to the floor, by job, as they were committed last for the major version of the Node that runs, and which
 * version that was; undefined when there are none. Ratios of other major versions do not compare: their compilers and collectors differ.
 */
export const lastFigures = (file = FILE) => committed(file)[MAJOR]

/** Keeps the ratios of a run for later ones, beside those of other major versions. */
export function writeFigures(results, file = FILE) {
  const cpu = Object.fromEntries(
    results.map(({ job, floor, gateway, yoga }) => [
      job.name,
      { gateway: rounded(gateway.cpu / floor.cpu), yoga: rounded(yoga.cpu / floor.cpu) },
    ]),
  )
  const all = { ...committed(file), [MAJOR]: { node: process.version, cpu } }
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`)
}
