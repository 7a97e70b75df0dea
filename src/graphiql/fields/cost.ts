const STATED = /\b(one|no) REST call(?: for the (id) alone| (?:per|for each) (\d+ (?!of\b))?(?:different )?(\w+))?/i

/** What a field costs, in a few words, when its description states the REST calls. */
export function costOf(description: string | null | undefined): string | undefined {
  const [stated, number, id, batch = '', each] = STATED.exec(description ?? '') ?? []
  if (stated === undefined) return undefined
  if (number?.toLowerCase() === 'no') return id ? 'no call for the id' : 'no call'
  return each ? `1 call per ${batch}${each}` : '1 call'
}
