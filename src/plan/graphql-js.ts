import { execute } from '@graphql-tools/executor'
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  FieldNode,
  GraphQLArgument,
  GraphQLDirective,
  GraphQLField,
  GraphQLInputType,
  GraphQLLeafType,
  GraphQLResolveInfo,
  GraphQLScalarType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  ValueNode,
} from 'graphql'
import * as graphql from 'graphql'
import { getOrMake } from '../upstream/maps.js'

/** Coerced values by their name. */
export type Values = Readonly<Record<string, unknown>>

/** Variables as functions of graphql-js 17 take them: with the type and the given value of each. */
interface VariableValues {
  readonly sources: Values
  readonly coerced: Values
}

/** A default of graphql-js 17: a literal, or a value as a client would send it. */
type DefaultInput = { readonly literal: ValueNode; readonly value?: never } | { readonly value: unknown; readonly literal?: never }

/** A result whose deferred fragments and streamed items follow it. */
export interface ResultInParts {
  readonly initialResult: object
  readonly subsequentResults: AsyncGenerator<{ readonly hasNext: boolean }, void, void>
}

type ExecuteIncrementally = (args: ExecutionArgs) => ExecutionResult | ResultInParts | Promise<ExecutionResult | ResultInParts>

/** What graphql-js has since 17. */
interface Since17 {
  readonly coerceInputLiteral: (node: ValueNode, type: GraphQLInputType) => unknown
  readonly coerceInputValue: (value: unknown, type: GraphQLInputType) => unknown
  readonly experimentalExecuteIncrementally: ExecuteIncrementally
  readonly legacyExecuteIncrementally: ExecuteIncrementally
}

const isSince17 = graphql.versionInfo.major >= 17
const since17 = graphql as unknown as Since17

/** The whole of the variables that graphql-js has coerced. */
const wholes = new WeakMap<Values, VariableValues>()

/** Returns the coerced variables that graphql-js hands out. */
function coercedOf(given: object): Values {
  if (!isSince17) return given as Values
  const whole = given as VariableValues
  wholes.set(whole.coerced, whole)
  return whole.coerced
}

/** Returns coerced variables as graphql-js takes them. */
function given(variables: Values | undefined): any {
  if (!isSince17 || !variables) return variables
  return getOrMake(wholes, variables, () => ({ sources: sourcesOf(variables), coerced: withoutPrototype(variables) }))
}

/** The types of variables whose values are taken over without graphql-js. */
const TYPES: Readonly<Record<string, GraphQLScalarType>> = {
  string: graphql.GraphQLString,
  number: graphql.GraphQLFloat,
  boolean: graphql.GraphQLBoolean,
}

/** Describes values of built-in scalars. Scalars of programs may ask for them, when a variable is inside of a literal. */
function sourcesOf(variables: Values): Values {
  const named = Object.entries(variables).map(([name, value]) => {
    const signature = { name, type: TYPES[typeof value] ?? graphql.GraphQLString, default: undefined }
    return [name, { signature, value }] as const
  })
  return withoutPrototype(Object.fromEntries(named))
}

/** A copy in which a variable such as `constructor` is missing when it is not given. */
const withoutPrototype = (values: Values): Values => Object.assign(Object.create(null), values)

/** Returns the coerced variables, or nothing when they are invalid. */
export function variableValues(schema: GraphQLSchema, operation: OperationDefinitionNode, values: Values): Values | undefined {
  const outcome = graphql.getVariableValues(schema, operation.variableDefinitions ?? [], values, { maxErrors: 1 }) as {
    readonly coerced?: Values
    readonly variableValues?: VariableValues
  }
  return outcome.variableValues ? coercedOf(outcome.variableValues) : outcome.coerced
}

/** Returns the coerced variables of the operation that a resolver runs in. */
export const variablesIn = (info: GraphQLResolveInfo): Values => coercedOf(info.variableValues)

/** Returns the coerced arguments of a field. Throws when they are wrong. */
export const argumentValues = (field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Values): Values =>
  graphql.getArgumentValues(field, node, given(variables))

/** Returns the coerced arguments of a directive, or nothing when a selection does not have it. */
export const directiveValues = (directive: GraphQLDirective, node: SelectionNode, variables: Values | undefined): Values | undefined =>
  graphql.getDirectiveValues(directive, node, given(variables))

/** Returns the value of a literal without variables, or `undefined` when it is wrong. */
export const literalValue = (node: ValueNode, type: GraphQLInputType): unknown =>
  isSince17 ? since17.coerceInputLiteral(node, type) : graphql.valueFromAST(node, type)

/** Returns the value of an argument that is not given, or `undefined` when it has no default. */
export function defaultOf(argument: GraphQLArgument): unknown {
  const { default: input, defaultValue, type } = argument as GraphQLArgument & { readonly default?: DefaultInput }
  if (input === undefined) return defaultValue
  return input.literal ? since17.coerceInputLiteral(input.literal, type) : since17.coerceInputValue(input.value, type)
}

/**
 * Returns a schema whose defaults `printSchemaWithDirectives` of graphql-tools prints. The given schema is changed, and is for printing only:
 * where arguments have the property `default`, as in graphql-js 17, that function ignores `defaultValue`.
 */
export function withPrintedDefaults(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    const members = graphql.isInputObjectType(type)
      ? Object.values(type.getFields())
      : graphql.isObjectType(type) || graphql.isInterfaceType(type)
        ? Object.values(type.getFields()).flatMap(({ args }) => args)
        : []
    for (const member of members as { default?: DefaultInput }[]) if (member.default === undefined) delete member.default
  }
  return schema
}

/** Returns the value of a leaf as it is in responses. Throws when it is wrong. */
export function outputValue(type: GraphQLLeafType, value: unknown): unknown {
  return isSince17 ? (type as unknown as { coerceOutputValue(value: unknown): unknown }).coerceOutputValue(value) : type.serialize(value)
}

const withoutParts = new WeakMap<DocumentNode, DocumentNode>()

/** A document without `@defer` and `@stream`. */
const wholeOf = (document: DocumentNode): DocumentNode =>
  getOrMake(withoutParts, document, () =>
    graphql.visit(document, { Directive: ({ name }) => (name.value === 'defer' || name.value === 'stream' ? null : undefined) }),
  )

/** Runs an operation, and answers deferred fragments with the rest. graphql-js 17 refuses to when the schema has `@defer`. */
export function executeWhole(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
  if (!isSince17) return graphql.execute(args) as ExecutionResult | Promise<ExecutionResult>
  return since17.experimentalExecuteIncrementally({ ...args, document: wholeOf(args.document) }) as
    | ExecutionResult
    | Promise<ExecutionResult>
}

/**
 * Runs an operation, and answers deferred fragments apart, in the format of `deferSpec=20220824`. The executor of graphql-tools does what graphql-js
 * 16 cannot.
 */
export const executeIncrementally: ExecuteIncrementally = isSince17 ? since17.legacyExecuteIncrementally : (execute as ExecuteIncrementally)
