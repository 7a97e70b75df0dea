import { isObject, jsonIn } from '../maps.js'

/** The digits of a hash, without the name of the algorithm that some tools prepend. */
export const plainHash = (name: string): string => name.replace(/^sha256:/, '')

/**
 * Reads a manifest of trusted documents: an object with texts by hash, as GraphQL Code Generator and Relay write it, or the format of Apollo,
 * with `operations` that have `id` and `body`. Throws an `Error` for operators.
 */
export function readManifest(json: string): ReadonlyMap<string, string> {
  const manifest = jsonIn(json)
  if (manifest === undefined) throw new Error('It is not JSON.')
  if (!isObject(manifest)) throw new Error('It must be an object with documents by hash.')
  const entries = Array.isArray(manifest.operations) ? manifest.operations.map(entryOf) : Object.entries(manifest)
  const documents = new Map<string, string>()
  for (const [name, text] of entries) {
    if (typeof name !== 'string' || name === '' || typeof text !== 'string' || text.trim() === '')
      throw new Error(`Each document must be a text with a name; \`${String(name).slice(0, 40)}\` is not.`)
    documents.set(plainHash(name), text)
  }
  if (documents.size === 0) throw new Error('It has no document.')
  return documents
}

const entryOf = (operation: unknown): [unknown, unknown] => (isObject(operation) ? [operation.id, operation.body] : [operation, undefined])
