const STATED = /\b(one|no) REST call(?: (per|for each) (\w+))?/i

/** What a field costs, in a few words, when its description states the REST calls. */
export function costOf(description: string | null | undefined): string | undefined {
  const stated = STATED.exec(description ?? '')
  if (!stated) return undefined
  const [, number, relation, each] = stated
  if (number?.toLowerCase() === 'no') return 'no call'
  return relation ? `1 call per ${each}` : '1 call'
}
