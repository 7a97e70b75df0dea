import { type getArgumentValues, type getVariableValues, versionInfo } from 'graphql'

/** Returns what is expected with the graphql-js that runs: 16, or 17 (`npm run test:graphql-17`). */
export const byVersion = <T>(with16: T, with17: T): T => (versionInfo.major >= 17 ? with17 : with16)

/** The variables that graphql-js has coerced, as its other functions take them. Undefined when they are wrong. */
export const variablesFrom = (outcome: ReturnType<typeof getVariableValues>): Parameters<typeof getArgumentValues>[2] =>
  outcome.coerced ?? (outcome as { readonly variableValues?: Record<string, unknown> }).variableValues

/** The values of such variables, by name. */
export const valuesIn = (variables: Parameters<typeof getArgumentValues>[2]): Readonly<Record<string, unknown>> | undefined =>
  byVersion(variables, variables?.coerced as typeof variables) ?? undefined
