import { fileURLToPath } from 'node:url'
import { readCollection, type SavedOperation } from '../../src/operations/collection.js'
import type { Role } from '../../src/options/access.js'
import type { Login } from './world.js'

/** The folder of the operations of this repository. */
export const OPERATIONS_FOLDER = fileURLToPath(new URL('../../schema/operations', import.meta.url))

/** Which user of the embedded LMS has a role. */
const LOGINS: Readonly<Record<Role, Login | undefined>> = {
  visitor: undefined,
  learner: 'learner',
  editor: 'leader',
  administrator: 'admin',
}

export interface TestedOperation extends SavedOperation {
  readonly file: string
  readonly caller: Login | undefined
}

/** The operations of this repository, with the users of the embedded LMS who may run them. */
export const SAVED_OPERATIONS: readonly TestedOperation[] = readCollection(OPERATIONS_FOLDER).operations.map((operation) => ({
  ...operation,
  file: (operation.document.definitions[0]?.loc?.source.name ?? '').slice(OPERATIONS_FOLDER.length + 1),
  caller: operation.role === null ? undefined : LOGINS[operation.role],
}))
