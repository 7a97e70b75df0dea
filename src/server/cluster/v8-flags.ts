/**
 * Flags of V8 13 and later, which Node.js 24 and later have. Code is optimized after fewer calls than by default: operations of several kinds
 * take turns, and most functions run once per operation.
 */
const EARLY_OPTIMIZATION = ['--invocation-count-for-turbofan=1000', '--minimum-invocations-after-ic-update=200']

/**
 * The flags of V8 for a process that serves, without those that it was started with. They are set while it starts, since Node.js 20 would not
 * start with flags that it does not know. Other runtimes get none.
 */
export function v8FlagsFor({ v8 = '', bun, deno }: NodeJS.Dict<string>, given: readonly string[]): readonly string[] {
  if (bun || deno || !(Number.parseInt(v8, 10) >= 13)) return []
  const names = given.map(nameOf)
  return EARLY_OPTIMIZATION.filter((flag) => !names.includes(nameOf(flag)))
}

const nameOf = (flag: string): string => (flag.split('=')[0] as string).replaceAll('_', '-')
