import { readFileSync } from 'node:fs'

/** The flags of V8 with which the command starts: those in the first line of `src/cli.ts`, after `#!/usr/bin/env -S node`. */
export const V8_FLAGS: readonly string[] = (readFileSync(new URL('../../src/cli.ts', import.meta.url), 'utf8').split('\n')[0] as string)
  .split(' ')
  .slice(3)
