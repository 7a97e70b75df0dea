import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Prints after a run how many responses of all suites response writers wrote, and so were compared with graphql-js. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'executors-'))
  const file = join(folder, 'counts')
  project.provide('executors', file)
  return () => {
    const counts = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    const [written, left] = [0, 1].map((place) => counts.reduce((sum, line) => sum + Number(line.split(' ')[place]), 0))
    if (counts.length > 0)
      console.log(
        `${project.name}: compiled operations wrote ${written} answers, all held against graphql-js; ${left} queries were left to that.`,
      )
    rmSync(folder, { recursive: true })
  }
}
