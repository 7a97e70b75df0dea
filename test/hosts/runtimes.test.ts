import { describe } from 'vitest'
import { describesHost } from './checks.js'
import { RUNTIMES } from './runtimes.js'

const COMMANDS = {
  bun: (program: string) => [program, 'test/docs/examples/hosts/bun.mjs'],
  deno: (program: string) => [program, 'run', '--allow-all', 'test/docs/examples/hosts/deno.mjs'],
} as const

for (const { runtime, program, reason } of RUNTIMES)
  describe.skipIf(reason !== '')(`${runtime}${reason}`, () => {
    const [first, ...argv] = COMMANDS[runtime](program)
    describesHost({ command: [first as string, ...argv], path: '/graphql' })
  })
