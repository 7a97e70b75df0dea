import { GraphQLError, Kind, parse } from 'graphql'

/** Largest number of names of operations. */
const MAX_NAMES = 200

/** The names of the operations of documents, by text; the first `MAX_NAMES` of them. Documents with errors have none, because they do not run. */
export function namesIn(documents: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Set<string>()
  const byText = new Map<string, ReadonlySet<string>>()
  for (const text of documents) {
    const names = operationNames(text).filter((name) => all.has(name) || all.size < MAX_NAMES)
    for (const name of names) all.add(name)
    byText.set(text, new Set(names))
  }
  return byText
}

function operationNames(text: string): string[] {
  try {
    const { definitions } = parse(text, { noLocation: true })
    return definitions.flatMap((each) => (each.kind === Kind.OPERATION_DEFINITION && each.name ? [each.name.value] : []))
  } catch (error) {
    if (error instanceof GraphQLError) return []
    throw error
  }
}
