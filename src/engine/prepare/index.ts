/** Prepares operations: from a document to its plan, kept in one cache. */
export { Planner } from './planner.js'
export { PreparedOperation, PreparedOperations } from './prepared-operations.js'
