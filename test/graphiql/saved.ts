import type { SavedOperation } from '../../src/graphiql/operations/collection.js'

/** A saved operation with these members. */
export const saved = (members: Partial<SavedOperation> = {}): SavedOperation => ({
  name: 'A',
  kind: 'query',
  title: 'A',
  description: '',
  folder: '',
  group: null,
  role: null,
  needs: null,
  variables: null,
  ids: null,
  choose: null,
  query: 'query A { a }',
  ...members,
})
