import { readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { ASTNode, DefinitionNode, DocumentNode, FragmentDefinitionNode, Location, OperationDefinitionNode, Token } from 'graphql'
import * as graphql from 'graphql'
import { readText, whyUnreadable } from '../options/files.js'
import { OptionsError } from '../options/program.js'
import { commentLines, type Head, readHead, texts } from './head.js'

const { Kind } = graphql

/** A named operation of a folder. */
export interface SavedOperation extends Head {
  /** Its name in GraphQL, which no other operation of the folder has. */
  readonly name: string
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** The first comment line above it, or its name. */
  readonly title: string
  /** Its folder within the operations folder, with `/` between the parts; empty at the top. */
  readonly folder: string
  /** What GraphiQL shows: its comments without settings, the operation as it is written, and the fragments that it uses. */
  readonly query: string
  /** The operation and the fragments that it uses, in the order of use. The names of their sources are the paths of the files. */
  readonly document: DocumentNode
}

/** The operations of a folder, in the order of files and places. */
export interface Collection {
  readonly operations: readonly SavedOperation[]
  readonly unusedFragments: readonly FragmentDefinitionNode[]
}

const MAX_FILES = 10_000
/** Milliseconds between two looks at the files of a folder. */
const INTERVAL = 500

/** What graphql-js checks without a schema. */
const RULES = [
  graphql.ExecutableDefinitionsRule,
  graphql.UniqueOperationNamesRule,
  graphql.UniqueFragmentNamesRule,
  graphql.KnownFragmentNamesRule,
  graphql.NoFragmentCyclesRule,
]

/** Whether there is a folder at a path. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Calls back when files of operations have changed. Looks at them again and again: not all file systems tell of changes. */
export function watchOperations(directory: string, changed: () => void): void {
  const stateOf = (path: string) => [path, statSync(path, { throwIfNoEntry: false })?.mtimeMs]
  const look = (): string => JSON.stringify(filesIn(directory, []).map(stateOf))
  let seen = look()
  setInterval(() => {
    const now = look()
    if (now !== seen) changed()
    seen = now
  }, INTERVAL).unref()
}

/** Reads a folder of operations. Throws an `OptionsError` with all complaints, each with file, line and column where there is one. */
export function readCollection(directory: string): Collection {
  const complaints: string[] = []
  const documents = filesIn(directory, complaints).flatMap((path) => parsed(path, complaints) ?? [])
  const whole = graphql.concatAST(documents)
  for (const { message, nodes = [] } of check(whole, RULES)) {
    const [place, ...others] = nodes.map(placeOf).reverse()
    complaints.push(`${place}: ${message}${others.length === 0 ? '' : ` See ${others.join(', ')}.`}`)
  }
  const fragments = new Map(whole.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])))
  const operations = documents.flatMap(({ definitions, loc }) => {
    const own = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    const top = own.length === 1 ? commentLines(loc?.startToken, 'next') : []
    const folder = relative(directory, dirname(loc?.source.name ?? '')).replaceAll(sep, '/')
    return own.map((each) => ({ ...saved(each, top, fragments, complaints), folder }))
  })
  if (complaints.length === 0 && operations.length === 0) complaints.push(`The folder \`${directory}\` has no operation.`)
  if (complaints.length > 0) throw new OptionsError(complaints)
  const unused = check(whole, [graphql.NoUnusedFragmentsRule]).flatMap(({ nodes = [] }) => nodes as readonly FragmentDefinitionNode[])
  return { operations, unusedFragments: unused }
}

const check = (document: DocumentNode, rules: readonly graphql.ValidationRule[]) =>
  graphql.validate(new graphql.GraphQLSchema({ assumeValid: true }), document, rules, { maxErrors: document.definitions.length + 1 })

/** The paths of the `.graphql` and `.gql` files below a folder, in the order of their names. Links to files are followed, those to folders are not. */
function filesIn(directory: string, complaints: string[]): string[] {
  const files: string[] = []
  const walk = (folder: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      if (entry.isDirectory()) walk(path)
      else if (/\.(graphql|gql)$/.test(entry.name) && !entry.isFIFO()) files.push(path)
    }
  }
  try {
    walk(directory)
    if (files.length > MAX_FILES) complaints.push(`The folder \`${directory}\` has more than ${MAX_FILES} files of operations.`)
  } catch (error) {
    const { path = directory } = error as NodeJS.ErrnoException
    complaints.push(`The folder \`${path}\` ${whyUnreadable(error)}.`)
  }
  return files.length > MAX_FILES ? [] : files
}

function parsed(path: string, complaints: string[]): DocumentNode | undefined {
  try {
    return graphql.parse(new graphql.Source(readText(path), path))
  } catch (error) {
    const [place] = (error instanceof graphql.GraphQLError && error.locations) || []
    const what = error instanceof graphql.GraphQLError ? error.message : `The file ${whyUnreadable(error)}.`
    complaints.push(`${path}:${place?.line ?? 1}:${place?.column ?? 1}: ${what}`)
    return undefined
  }
}

/** Where a node is, as `file:line:column`. */
function placeOf({ loc }: ASTNode): string {
  if (!loc) return ''
  const { line, column } = graphql.getLocation(loc.source, loc.start)
  return `${loc.source.name}:${line}:${column}`
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** Reads an operation. `top` has the comment lines at the top of its file when it is the only one there. */
function saved(
  operation: OperationDefinitionNode,
  top: readonly Token[],
  fragments: Fragments,
  complaints: string[],
): Omit<SavedOperation, 'folder'> {
  if (!operation.name) complaints.push(`${placeOf(operation)}: This operation has no name.`)
  const name = operation.name?.value ?? ''
  const above = commentLines(operation.loc?.startToken, 'prev')
  const titles = texts(above).length > 0 ? texts(above) : texts(top)
  const head = readHead([...above, ...top], titles, ({ line, column }, what) =>
    complaints.push(`${operation.loc?.source.name}:${line}:${column}: ${what}.`),
  )
  const used = [...fragmentsIn(operation, fragments)]
  const ofFragments = used.map(({ loc }) => [
    ...texts(commentLines(loc?.startToken, 'prev').filter((line) => !top.includes(line))),
    bodyOf(loc),
  ])
  return {
    ...head,
    name,
    kind: operation.operation,
    title: head.title || name,
    query: [[...titles, bodyOf(operation.loc)], ...ofFragments].map((lines) => lines.join('\n')).join('\n\n'),
    document: { kind: Kind.DOCUMENT, definitions: [operation, ...used] },
  }
}

/** The fragments that a definition uses, directly or by others, in the order of use. */
function fragmentsIn(definition: DefinitionNode, fragments: Fragments, found = new Set<FragmentDefinitionNode>()) {
  graphql.visit(definition, {
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value)
      if (!fragment || found.has(fragment)) return
      found.add(fragment)
      fragmentsIn(fragment, fragments, found)
    },
  })
  return found
}

/** The text at a location, as it is written. */
const bodyOf = (loc: Location | undefined): string => (loc?.source.body.slice(loc.start, loc.end) ?? '').replaceAll('\r\n', '\n')
