import { readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  GraphQLError,
  getLocation,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
  type Token,
  visit,
} from 'graphql'
import { nearestName } from '../nearest-name.js'
import { readText, whyUnreadable } from '../options/files.js'
import { OptionsError } from '../options/program.js'
import { type Head, linesAbove, linesAtTop, readHead, texts } from './head.js'

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

/** Whether there is a folder at a path. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Milliseconds after which files that have changed are read. */
const INTERVAL = 500

/** Calls back when files of operations have changed. Looks at them again and again: not all file systems tell of changes. Returns what ends it. */
export function watchOperations(directory: string, changed: () => void): () => void {
  const look = (): string => {
    const states = filesIn(directory, []).map((path) => [path, statSync(path, { throwIfNoEntry: false })] as const)
    return states.map(([path, state]) => `${path} ${state?.mtimeMs} ${state?.size}`).join('\n')
  }
  let seen = look()
  const timer = setInterval(() => {
    const now = look()
    if (now === seen) return
    seen = now
    changed()
  }, INTERVAL).unref()
  return () => clearInterval(timer)
}

/** Reads a folder of operations. Throws an `OptionsError` with all complaints, each with file, line and column where there is one. */
export function readCollection(directory: string): Collection {
  const complaints: string[] = []
  const files = filesIn(directory, complaints)
  const documents = files.flatMap((path) => parsed(path, complaints) ?? [])
  const reader = new Reader(directory, documents, complaints)
  const operations = documents.flatMap((document) => reader.operationsOf(document))
  if (complaints.length === 0 && operations.length === 0) complaints.push(`The folder \`${directory}\` has no operation.`)
  if (complaints.length > 0) throw new OptionsError(complaints)
  return { operations, unusedFragments: reader.unusedFragments(operations) }
}

/** The paths of the `.graphql` and `.gql` files below a folder, in the order of their names. Links to files are followed, those to folders are not. */
function filesIn(directory: string, complaints: string[]): string[] {
  const files: string[] = []
  const walk = (folder: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || files.length > MAX_FILES) continue
      if (entry.isDirectory()) walk(path)
      else if (/\.(graphql|gql)$/.test(entry.name)) files.push(path)
    }
  }
  try {
    walk(directory)
    if (files.length > MAX_FILES) complaints.push(`The folder \`${directory}\` has more than ${MAX_FILES} files of operations.`)
  } catch (error) {
    const { path = directory } = error as NodeJS.ErrnoException
    complaints.push(`The folder \`${path}\` ${whyUnreadable(error)}.`)
  }
  return files.slice(0, MAX_FILES)
}

function parsed(path: string, complaints: string[]): DocumentNode | undefined {
  try {
    return parse(new Source(readText(path), path))
  } catch (error) {
    const [place] = (error instanceof GraphQLError && error.locations) || []
    const what = error instanceof GraphQLError ? error.message : `The file ${whyUnreadable(error)}.`
    complaints.push(`${path}:${place?.line ?? 1}:${place?.column ?? 1}: ${what}`)
    return undefined
  }
}

/** Where a node is, as `file:line:column`. */
export function placeOf({ loc }: Pick<ASTNode, 'loc'>): string {
  if (!loc) return ''
  const { line, column } = getLocation(loc.source, loc.start)
  return `${loc.source.name}:${line}:${column}`
}

const firstToken = ({ loc }: DefinitionNode): Token => loc?.startToken as Token

/** Reads the operations of documents that may use each other's fragments. */
class Reader {
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The operations seen so far. */
  private readonly seen = new Map<string, OperationDefinitionNode>()

  constructor(
    private readonly directory: string,
    documents: readonly DocumentNode[],
    private readonly complaints: string[],
  ) {
    const fragments = new Map<string, FragmentDefinitionNode>()
    for (const definition of documents.flatMap(({ definitions }) => definitions)) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.add(fragments, definition, 'fragment')
      else if (definition.kind !== Kind.OPERATION_DEFINITION) this.complain(definition, 'This is no operation, and no fragment.')
    }
    this.fragments = fragments
    for (const fragment of fragments.values()) this.checkFragment(fragment)
  }

  operationsOf({ definitions }: DocumentNode): SavedOperation[] {
    const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    return operations.flatMap((operation) => this.read(operation, operations.length === 1) ?? [])
  }

  unusedFragments(operations: readonly SavedOperation[]): FragmentDefinitionNode[] {
    const used = new Set(operations.flatMap(({ document }) => document.definitions))
    return [...this.fragments.values()].filter((fragment) => !used.has(fragment))
  }

  private read(operation: OperationDefinitionNode, isAlone: boolean): SavedOperation | undefined {
    const name = operation.name?.value
    if (name === undefined) return this.complain(operation, 'This operation has no name.')
    this.add(this.seen, operation, 'operation')
    for (const spread of spreadsIn(operation)) this.checkSpread(spread)
    const above = linesAbove(firstToken(operation))
    const top = isAlone ? linesAtTop(firstToken(operation)) : []
    const titles = texts(above).length > 0 ? texts(above) : texts(top)
    const head = readHead([...above, ...top], titles, (line, what) => {
      this.complaints.push(`${operation.loc?.source.name}:${line.line}:${line.column}: ${what}.`)
    })
    const fragments = this.usedBy(operation)
    const shown = [[titles, operation] as const, ...fragments.map((each) => [this.commentOf(each, top), each] as const)]
    return {
      ...head,
      name,
      kind: operation.operation,
      title: head.title || name,
      folder: relative(this.directory, dirname(operation.loc?.source.name ?? '')).replaceAll(sep, '/'),
      query: shown.map(([comment, each]) => [...comment.map((line) => `#${line}`), bodyOf(each)].join('\n')).join('\n\n'),
      document: { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
    }
  }

  /** The comment lines above a fragment, unless they are those at the top of the file of an operation. */
  private commentOf(fragment: FragmentDefinitionNode, top: readonly Token[]): string[] {
    const above = linesAbove(firstToken(fragment))
    return above[0] === top[0] ? [] : texts(above)
  }

  /** The fragments that a definition uses, directly or by others, in the order of use. */
  private usedBy(definition: DefinitionNode, found = new Set<FragmentDefinitionNode>()): FragmentDefinitionNode[] {
    for (const { name } of spreadsIn(definition)) {
      const fragment = this.fragments.get(name.value)
      if (!fragment || found.has(fragment)) continue
      found.add(fragment)
      this.usedBy(fragment, found)
    }
    return [...found]
  }

  private checkFragment(fragment: FragmentDefinitionNode): void {
    for (const spread of spreadsIn(fragment)) this.checkSpread(spread)
    if (this.usedBy(fragment).includes(fragment)) this.complain(fragment, `The fragment "${fragment.name.value}" uses itself.`)
  }

  private checkSpread(spread: FragmentSpreadNode): void {
    const name = spread.name.value
    if (this.fragments.has(name)) return
    const nearest = nearestName(name, [...this.fragments.keys()])
    this.complain(spread, `No file has the fragment "${name}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`)
  }

  /** Adds a definition by its name, which must be the only one. */
  private add<Node extends OperationDefinitionNode | FragmentDefinitionNode>(known: Map<string, Node>, node: Node, what: string): void {
    const name = node.name?.value as string
    const other = known.get(name)
    if (other) this.complain(node, `Another ${what} is named "${name}": ${placeOf(other)}.`)
    else known.set(name, node)
  }

  private complain(node: ASTNode, what: string): undefined {
    this.complaints.push(`${placeOf(node)}: ${what}`)
  }
}

function spreadsIn(definition: DefinitionNode): FragmentSpreadNode[] {
  const spreads: FragmentSpreadNode[] = []
  visit(definition, { FragmentSpread: (spread) => void spreads.push(spread) })
  return spreads
}

/** The text of a definition, as it is written. */
const bodyOf = ({ loc }: DefinitionNode): string => (loc?.source.body.slice(loc.start, loc.end) ?? '').replaceAll('\r\n', '\n')
