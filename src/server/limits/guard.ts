import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type Location,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  type ValidationRule,
  type ValueNode,
  validate,
  visit,
} from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import type { TrustedDocuments } from '../../operations/trusted.js'
import type { Limits } from './limits.js'
import { documentCheck, limitExceeded } from './measures.js'
import { PersistedDocuments } from './persisted.js'
import { RULES_ON_PARTS } from './rules-on-parts.js'

/** What requests may contain, and what answers may reveal of the graph. */
export interface GuardOptions {
  readonly limits: Limits
  /** Whether clients may read the schema: by introspection, and by suggestions in errors. */
  readonly introspection: boolean
  readonly trusted: TrustedDocuments
  /** Whether other documents are refused. */
  readonly onlyTrusted: boolean
}

/** A rule of graphql-js 17. Operations that the graph does not have are refused when they run, with the same code for all versions. */
const OPERATION_TYPES = 'KnownOperationTypesRule'

/** The checks on the parameters and the document of a request. */
export class Guard {
  readonly limits: Limits
  readonly persisted: PersistedDocuments
  readonly hideSuggestions: boolean
  private readonly rules: readonly ValidationRule[]
  private readonly tooMuchIn: (document: DocumentNode) => GraphQLError | undefined

  constructor(
    private readonly schema: GraphQLSchema,
    { limits, introspection, trusted, onlyTrusted }: GuardOptions,
  ) {
    this.limits = limits
    this.persisted = new PersistedDocuments(trusted, onlyTrusted)
    // Suggestions show names of the schema.
    this.hideSuggestions = !introspection
    this.rules = [
      ...specifiedRules.filter(({ name }) => name !== OPERATION_TYPES),
      ...RULES_ON_PARTS,
      ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
    ]
    this.tooMuchIn = documentCheck(this.limits, schema)
  }

  /** The parameters of a request with the text of its document in place of a hash or name. Throws `GraphQLError`. */
  checkParameters(params: GraphQLParams): GraphQLParams {
    const { limits } = this
    const error = valuesCheck('variables', params.variables, limits) ?? valuesCheck('extensions', params.extensions, limits)
    if (error) throw error
    return this.persisted.resolve(params)
  }

  /** Checks a document against the limits, then against the schema; a document over a limit is not validated. */
  validate(document: DocumentNode): readonly GraphQLError[] {
    const error = this.tooMuchIn(document)
    if (error) return [error]
    // graphql-js adds one error when there are more.
    const maxErrors = Math.max(1, this.limits.maxErrors - 1)
    const errors = validate(this.schema, document, this.rules, { maxErrors, hideSuggestions: this.hideSuggestions })
    if (errors.length === 0) return errors
    const paths = literalPaths(document)
    // Every rule reports nodes. An error without them, before the limit, is from a rule that gave up because of its own limit.
    return errors.map((each, place) =>
      each.nodes === undefined && place < maxErrors ? this.tooManyRepeats() : marked(withPath(each, paths)),
    )
  }

  private tooManyRepeats(): GraphQLError {
    return limitExceeded('The document repeats its fields too often to be checked', 'maxSelections', this.limits)
  }
}

/** An error when the variables or extensions of a request exceed a limit. */
function valuesCheck(name: 'variables' | 'extensions', values: unknown, limits: Limits): GraphQLError | undefined {
  if (typeof values !== 'object' || values === null) return undefined
  let left = limits.maxVariableValues
  const look = (value: unknown, depth: number): GraphQLError | undefined => {
    if (left-- < 0) return limitExceeded(`\`${name}\` hold too many values`, 'maxVariableValues', limits)
    if (typeof value !== 'object' || value === null) return undefined
    if (depth > limits.maxNesting) return limitExceeded(`\`${name}\` nest too deep`, 'maxNesting', limits)
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (members.length > limits.maxListItems) return limitExceeded(`A list or an object in \`${name}\` is too long`, 'maxListItems', limits)
    for (const member of members) {
      const error = look(member, depth + 1)
      if (error) return error
    }
    return undefined
  }
  return look(values, 0)
}

/** Adds the code of validation errors, and for fronts that answer by HTTP their status. */
function marked(error: GraphQLError): GraphQLError {
  error.extensions.code ??= 'GRAPHQL_VALIDATION_FAILED'
  error.extensions.http ??= { status: 400, spec: true }
  return error
}

/** An error about a literal, with the argument or input field it stands for: `input.date`, `where.author.in[0]`. */
function withPath(error: GraphQLError, paths: ReadonlyMap<Place, string>): GraphQLError {
  const { nodes = [], message, extensions } = error
  const path = nodes[0] && paths.get(placeOf(nodes[0]))
  return path === undefined ? error : new GraphQLError(`\`${path}\`: ${message}`, { nodes, extensions })
}

/** Identifies a node of a document, also in errors of graphql-js 17: they have copies of lists and objects, with the same location. */
type Place = Location | ASTNode

const placeOf = (node: ASTNode): Place => node.loc ?? node

/** The path of each literal, and of each field of an input object, from its argument or variable. */
function literalPaths(document: DocumentNode): ReadonlyMap<Place, string> {
  const paths = new Map<Place, string>()
  const walk = (value: ValueNode, path: string): void => {
    paths.set(placeOf(value), path)
    if (value.kind === Kind.LIST) for (const [index, item] of value.values.entries()) walk(item, `${path}[${index}]`)
    if (value.kind !== Kind.OBJECT) return
    for (const field of value.fields) {
      paths.set(placeOf(field), `${path}.${field.name.value}`)
      walk(field.value, `${path}.${field.name.value}`)
    }
  }
  visit(document, {
    Argument: ({ name, value }) => walk(value, name.value),
    VariableDefinition: ({ variable, defaultValue }) => defaultValue && walk(defaultValue, `$${variable.name.value}`),
  })
  return paths
}
