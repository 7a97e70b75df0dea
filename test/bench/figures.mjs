import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const FILE = new URL('figures.json', import.meta.url)

const rounded = (ratio) => Math.round(ratio * 100) / 100

/** CPU per operation as ratios to the floor, by job, as they were committed last. */
export const lastFigures = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')).cpu : {})

/** Keeps the ratios of a run for later ones. */
export function writeFigures(results) {
  const cpu = Object.fromEntries(
    results.map(({ job, floor, gateway, yoga }) => [
      job.name,
      { gateway: rounded(gateway.cpu / floor.cpu), yoga: rounded(yoga.cpu / floor.cpu) },
    ]),
  )
  writeFileSync(FILE, `${JSON.stringify({ node: process.version, cpu }, undefined, 2)}\n`)
}
