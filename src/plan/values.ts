import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isNonNullType,
  isNullableType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
} from 'graphql'
import { argumentValues, defaultOf, literalValue, type Values, variableValues } from './graphql-js.js'

/** The values of built-in scalars as graphql-js coerces them. Returns nothing for all values that graphql-js is to coerce or to refuse. */
const COERCED: Readonly<Record<string, (value: unknown) => unknown>> = {
  String: (value) => (typeof value === 'string' ? value : undefined),
  ID: (value) => (typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined),
  Int: (value) => (typeof value === 'number' && (value | 0) === value ? value : undefined),
  Float: (value) => (Number.isFinite(value) ? value : undefined),
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** A variable of a built-in scalar. */
interface ScalarVariable {
  readonly name: string
  readonly coerced: (value: unknown) => unknown
  /** Whether it may be left out or null, without a default. */
  readonly isOptional: boolean
}

const scalarVariables = new WeakMap<OperationDefinitionNode, readonly ScalarVariable[] | null>()

/** Returns the variables of an operation, or `null` when not all of them are built-in scalars. */
function scalarVariablesOf(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly ScalarVariable[] | null {
  let variables = scalarVariables.get(operation)
  if (variables === undefined) {
    variables = []
    for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
      const type = typeFromAST(schema, node as NamedTypeNode) as GraphQLInputType | undefined
      const coerced = type && COERCED[String(getNullableType(type))]
      if (!coerced) {
        variables = null
        break
      }
      const isOptional = isNullableType(type) && defaultValue === undefined
      ;(variables as ScalarVariable[]).push({ name: variable.name.value, coerced, isOptional })
    }
    scalarVariables.set(operation, variables)
  }
  return variables
}

/**
 * Returns the coerced variables, or nothing when they are invalid, which graphql-js reports. Nearly all values of
 * built-in scalars are taken over without graphql-js.
 */
export function variablesOf(schema: GraphQLSchema, operation: OperationDefinitionNode, values: Values): Values | undefined {
  const variables = scalarVariablesOf(schema, operation)
  return (variables && takenOver(variables, values)) ?? variableValues(schema, operation, values)
}

function takenOver(variables: readonly ScalarVariable[], values: Values): Values | undefined {
  const taken: Record<string, unknown> = {}
  for (const { name, coerced, isOptional } of variables) {
    if (Object.hasOwn(values, name)) {
      const value = coerced(values[name])
      if (value === undefined) return undefined
      taken[name] = value
    } else if (!isOptional) return undefined
  }
  return taken
}

/** Where the value of an argument comes from: a value that is the same in every run, or a variable. */
type Source = { readonly name: string; readonly value: unknown } | ArgumentVariable

interface ArgumentVariable {
  readonly name: string
  readonly variable: string
  readonly isNullable: boolean
  readonly hasDefault: boolean
}

const sources = new WeakMap<FieldNode, readonly Source[] | null>()

/** Returns the coerced arguments of a field. Throws when they are wrong. Each value that does not depend on variables is coerced once. */
export function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Values): Values {
  let known = sources.get(node)
  if (known === undefined) {
    known = sourcesOf(field, node)
    sources.set(node, known)
  }
  return (known && fromSources(known, variables)) ?? argumentValues(field, node, variables)
}

/** Returns nothing when the value of a variable does not fit: its argument then has its default, or is an error. */
function fromSources(known: readonly Source[], variables: Values): Values | undefined {
  const args: Record<string, unknown> = {}
  for (const source of known) {
    const { name } = source
    if (!('variable' in source)) args[name] = source.value
    else if (Object.hasOwn(variables, source.variable)) {
      const value = variables[source.variable]
      if (value === null && !source.isNullable) return undefined
      args[name] = value
    } else if (source.hasDefault || !source.isNullable) return undefined
  }
  return args
}

/** Returns `null` for arguments that only graphql-js can coerce: wrong ones, and variables within lists and objects. */
function sourcesOf(field: GraphQLField<unknown, unknown>, node: FieldNode): readonly Source[] | null {
  const found: Source[] = []
  for (const argument of field.args) {
    const { name, type } = argument
    const defaultValue = defaultOf(argument)
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value
    if (given === undefined) {
      if (defaultValue !== undefined) found.push({ name, value: defaultValue })
      else if (isNonNullType(type)) return null
    } else if (given.kind === Kind.VARIABLE) {
      found.push({ name, variable: given.name.value, isNullable: !isNonNullType(type), hasDefault: defaultValue !== undefined })
    } else {
      const value = hasVariable(given) ? undefined : literalValue(given, type)
      if (value === undefined) return null
      found.push({ name, value })
    }
  }
  return found
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable)
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value))
  return value.kind === Kind.VARIABLE
}
