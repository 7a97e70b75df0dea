import { type DocumentNode, type GraphQLSchema, versionInfo } from 'graphql'
import { operationOf } from '../../src/plan/document.js'
import { type Values, variableValues } from '../../src/plan/graphql-js.js'

/** Returns what is expected with the graphql-js that runs: 16, or 17 (`npm run test:graphql-17`). */
export const byVersion = <T>(with16: T, with17: T): T => (versionInfo.major >= 17 ? with17 : with16)

/** The variables of an operation as the engine gets them, coerced by graphql-js. None when the document lacks the operation. */
export function coerced(schema: GraphQLSchema, document: DocumentNode, given: Values, operationName?: string | null): Values {
  const operation = operationOf(document, operationName)
  if (!operation) return {}
  const variables = variableValues(schema, operation, given)
  if (!variables) throw new Error(`Variables are wrong: ${JSON.stringify(given)}`)
  return variables
}
