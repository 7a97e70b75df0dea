import { mock } from 'node:test'
import type { Answered, Task } from './processes.js'
import { runSequence } from './run.js'
import { type Entries, type RunningSite, startSite } from './sites.js'

// Runs the sequences that its parent process sends, one at a time.

/** The clock stands still, because schools have dates that come and pass. Set before the package is loaded. */
mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') })

const [folder = '', options = '{}'] = process.argv.slice(2)
const entries: Entries = {
  start: await import(folder === '' ? '../../src/start.js' : `${folder}/start.js`),
  lms: await import(folder === '' ? '../../src/lms.js' : `${folder}/lms.js`),
}
const sites = new Map<string, RunningSite>()

async function run({ number, sequence: { kind, operations } }: Task): Promise<Answered> {
  const site = sites.get(kind) ?? (await startSite(entries, kind))
  sites.set(kind, site)
  const outcomes = await runSequence(entries, site, operations, JSON.parse(options))
  if (operations.some(({ query }) => /^\s*mutation\b/m.test(query))) await site.reset()
  return { number, outcomes }
}

process.on('message', (task: Task) => {
  run(task).then(
    (answered) => process.send?.(answered),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
