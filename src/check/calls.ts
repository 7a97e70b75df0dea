import type { ExecutionResult, GraphQLError, GraphQLInputType, GraphQLSchema, NamedTypeNode, OperationDefinitionNode } from 'graphql'
import * as graphql from 'graphql'
import { assemble, createShared, type Gateway } from '../assembly.js'
import type { explainPlan } from '../cost/explain.js'
import type { SavedOperation } from '../operations/collection.js'
import { ROLES, type Role } from '../options/access.js'
import { OptionsError } from '../options/program.js'
import { Secret } from '../options/secret.js'
import type { Options } from '../options/table.js'

/** Milliseconds that a gateway has to answer. */
const TIMEOUT = 30_000

/** Sends a GraphQL request as a caller of a role, and returns the answer. */
export type Ask = (request: object, role?: Role) => Promise<ExecutionResult<any, any>>

/** The plan of a gateway for an operation, with the names of variables whose values are made up, because its head has none. */
export type Calls = ReturnType<typeof explainPlan> & { readonly madeUp: readonly string[] }

/** A gateway of options in this process. It is asked for plans only, so it connects to nothing, and knows no caller but one of each role. */
export function localGateway(given: Options): Ask {
  const { site, access, limits, http, redis, hooks, observe } = given
  const hasAccount = site.user !== undefined
  const keyOf = (role: Role): string => `check-${role.padEnd(16, '-')}`
  const apiKeys = hasAccount ? ROLES.map((role) => new Secret(`${role}:${keyOf(role)}`)) : undefined
  const roles = ROLES.map((role) => `${role}=key:${role}${role === 'visitor' ? '' : ':1'}`)
  const options: Options = {
    ...given,
    site: { ...site, url: site.url ?? 'http://127.0.0.1' },
    access: { ...access, jwtIssuer: undefined, apiKeys, roles },
    limits: { ...limits, operationsPerMinute: 0, callsPerMinute: 0, documentCostPerMinute: 0 },
    http: { ...http, operations: undefined, onlyTrusted: false },
    redis: { ...redis, url: undefined },
    hooks: { ...hooks, secret: undefined, forward: [] },
    observe: { ...observe, metrics: false, explainFor: ['everybody'] },
  }
  const gateway = assemble({ options, named: () => undefined }, createShared(options, {}, {}))
  const ownOf = (role: Role) => (role === 'visitor' ? {} : { authorization: 'Basic Y2hlY2s6Y2hlY2s=' })
  return gatewayAt(gateway.fetch, 'http://127.0.0.1/graphql', (role) => (hasAccount ? { 'x-api-key': keyOf(role) } : ownOf(role)))
}

/** A running gateway, asked with the same headers for all operations. */
export const remoteGateway = (url: string, headers: Record<string, string>): Ask => gatewayAt(fetch, url, () => headers)

function gatewayAt(send: Gateway['fetch'], url: string, headersOf: (role: Role) => Record<string, string>): Ask {
  return async (request, role = 'administrator') => {
    const headers = { 'content-type': 'application/json', ...headersOf(role) }
    const signal = AbortSignal.timeout(TIMEOUT)
    try {
      // To another host, a redirect would take the headers along.
      return Object(await (await send(url, { method: 'POST', headers, body: JSON.stringify(request), signal, redirect: 'error' })).json())
    } catch (error) {
      const { message, cause } = error as Error
      throw new OptionsError([`\`${url}\` does not answer as a GraphQL server: ${cause instanceof Error ? cause.message : message}.`])
    }
  }
}

/** The calls that a gateway expects of an operation. Undefined when it has no plan; `complain` is told why. */
export async function callsOf(operation: SavedOperation, graph: GraphQLSchema, ask: Ask, complain: (error: GraphQLError) => void) {
  const { query, name, role, variables, document } = operation
  const { variableDefinitions = [] } = document.definitions[0] as OperationDefinitionNode
  const missing = variableDefinitions.flatMap(({ variable, type, defaultValue }) =>
    type.kind === graphql.Kind.NON_NULL_TYPE && !defaultValue && !Object.hasOwn(variables ?? {}, variable.name.value)
      ? [[variable.name.value, madeUp(graphql.typeFromAST(graph, type.type as NamedTypeNode) as GraphQLInputType)] as const]
      : [],
  )
  const given = { ...variables, ...Object.fromEntries(missing) }
  const { errors, extensions } = await ask(
    { query, operationName: name, variables: given, extensions: { explain: 'plan' } },
    role ?? undefined,
  )
  if (extensions?.explain) return { ...extensions.explain, madeUp: missing.map(([variable]) => variable) } as Calls
  complain(errors?.[0] ?? new graphql.GraphQLError('The gateway explains nothing.'))
}

const SCALARS: Readonly<Record<string, unknown>> = { Int: 1, Float: 1, Boolean: true, JSONObject: {}, ID: '1', LocalDate: '2026-01-01' }

/** A value of an input type. */
function madeUp(type: GraphQLInputType): unknown {
  if (graphql.isNonNullType(type)) return madeUp(type.ofType)
  if (graphql.isListType(type)) return [madeUp(type.ofType)]
  if (graphql.isEnumType(type)) return type.getValues()[0]?.name
  if (!graphql.isInputObjectType(type)) return SCALARS[type.name] ?? (/Time$/.test(type.name) ? '2026-01-01T00:00:00Z' : 'https://x')
  const needed = Object.values(type.getFields()).filter(graphql.isRequiredInputField)
  return Object.fromEntries(needed.map((field) => [field.name, madeUp(field.type)]))
}
