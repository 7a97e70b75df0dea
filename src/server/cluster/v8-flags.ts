/**
 * Flags of V8 13 and later, which Node.js 24 and later have. Code is optimized after fewer calls than by default: operations of several kinds
 * take turns, and most functions run once per operation.
 */
const EARLY_OPTIMIZATION = ['--invocation-count-for-turbofan=1000', '--minimum-invocations-after-ic-update=200']

/**
 * Returns the flags of V8 that a serving process sets when it starts. The first line of the command cannot have them, because Node.js 20 refuses
 * flags that it does not know. Flags that the process was started with are left out. Other runtimes get none.
 */
export function v8FlagsFor({ v8 = '', bun, deno }: NodeJS.Dict<string>, given: readonly string[]): readonly string[] {
  if (bun || deno || !(Number.parseInt(v8, 10) >= 13)) return []
  const names = given.map(nameOf)
  return EARLY_OPTIMIZATION.filter((flag) => !names.includes(nameOf(flag)))
}

const nameOf = (flag: string): string => (flag.split('=')[0] as string).replaceAll('_', '-')
