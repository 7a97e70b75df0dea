import { execute } from '@graphql-tools/executor'
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  FieldNode,
  GraphQLArgument,
  GraphQLDirective,
  GraphQLField,
  GraphQLLeafType,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
} from 'graphql'
import * as graphql from 'graphql'
import { getOrMake } from '../maps.js'

/** Coerced values by their name. */
export type Values = Readonly<Record<string, unknown>>

/** Variables as functions of graphql-js 17 take them: with the type and the given value of each. */
interface VariableValues {
  readonly sources: Values
  readonly coerced: Values
}

/** A result whose deferred fragments and streamed items follow it. */
export interface ResultInParts {
  readonly initialResult: object
  readonly subsequentResults: AsyncGenerator<{ readonly hasNext: boolean }, void, void>
}

type ExecuteIncrementally = (args: ExecutionArgs) => ExecutionResult | ResultInParts | Promise<ExecutionResult | ResultInParts>

/** What graphql-js has since 17. */
interface Since17 {
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

/** Returns variables that graphql-js has coerced as its functions take them. */
const given = (variables: Values | undefined): any => (variables && wholes.get(variables)) ?? variables

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

/**
 * Returns the coerced arguments of a field. Throws when they are wrong. Given arguments are coerced one by one here: graphql-js collects them in an
 * object without prototype, and copies that, which takes V8 most of the time. It does all others, such as defaults, and finds the errors.
 */
export function argumentValues(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Values): Values {
  const values: Record<string, unknown> = {}
  for (const { name, type } of field.args) {
    const literal = isSince17 ? undefined : node.arguments?.find((each) => each.name.value === name)?.value
    const isMissing = literal?.kind === graphql.Kind.VARIABLE && !Object.hasOwn(variables, literal.name.value)
    const value = isMissing ? undefined : graphql.valueFromAST(literal, type, variables)
    if (value === undefined) return graphql.getArgumentValues(field, node, given(variables))
    values[name] = value
  }
  return values
}

/**
 * Returns a field without the arguments that have no value where a selection does not give them. The coerced arguments are the same, and graphql-js
 * coerces them in a third of the time: fields of lists have nine.
 */
export function withUsedArguments(field: GraphQLField<unknown, unknown>, { arguments: given = [] }: FieldNode): typeof field {
  const isUsed = (argument: GraphQLArgument & { readonly default?: unknown }): boolean =>
    given.some(({ name }) => name.value === argument.name) ||
    argument.defaultValue !== undefined ||
    argument.default !== undefined ||
    graphql.isNonNullType(argument.type)
  // Fields of graphql-js 17 also have methods, which coercion does not call.
  return { ...field, args: field.args.filter(isUsed) } as typeof field
}

/** Returns the coerced arguments of a directive, or nothing when a selection does not have it. */
export const directiveValues = (directive: GraphQLDirective, node: SelectionNode, variables: Values | undefined): Values | undefined =>
  graphql.getDirectiveValues(directive, node, given(variables))

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
    for (const member of members as { default?: unknown }[]) if (member.default === undefined) delete member.default
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
