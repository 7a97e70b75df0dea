import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ASTNode, type DocumentNode, type FieldNode, Kind, print, type SelectionNode, type SelectionSetNode, visit } from 'graphql'
import { unreadableFile } from '../options/files.js'
import { OptionsError, type ReadOptions } from '../options/program.js'
import { PACKAGE_FOLDER } from '../package-folder.js'
import { isFolder, readCollection, type SavedOperation } from './collection.js'
import { readManifest } from './manifest.js'

/** The documents that an operator trusts. */
export interface TrustedDocuments {
  /** Texts by the names that clients may send: hashes, names in manifests, and names of saved operations. */
  readonly byName: ReadonlyMap<string, string>
  readonly texts: ReadonlySet<string>
  /** The texts that most clients use, each with a name of its document. They are prepared at the start, in this order. */
  readonly usual: readonly (readonly [name: string, text: string])[]
  /** The operations of a folder; undefined without one. */
  readonly saved: readonly ShownOperation[] | undefined
}

/** A saved operation as GraphiQL gets it. */
export type ShownOperation = Omit<SavedOperation, 'document'>

/** The trusted documents of the options. Throws an `OptionsError` when they cannot be read, or are wrong. */
export function trustedDocuments({ options, named }: ReadOptions): TrustedDocuments {
  const { operations: given = new Map<string, string>() } = options.http
  if (typeof given !== 'string') return trusting(given)
  if (isFolder(given)) return trustingAll(readCollection(given).operations)
  const name = named('http.operations') as string
  try {
    return trusting(readManifest(readFileSync(given, 'utf8')))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const unusable = `The file \`${given}\` that ${name} names cannot be used. ${message}`
    throw new OptionsError([code === undefined ? unusable : unreadableFile(name, given, error)])
  }
}

/** The operations of this package, as GraphiQL gets them. */
export const exampleOperations = (): readonly ShownOperation[] =>
  shown(readCollection(fileURLToPath(new URL('schema/operations', PACKAGE_FOLDER))).operations)

const shown = (operations: readonly SavedOperation[]): ShownOperation[] => operations.map(({ document: _, ...shown }) => shown)

const trusting = (byName: ReadonlyMap<string, string>, usual: TrustedDocuments['usual'] = [...byName]): TrustedDocuments => ({
  byName,
  texts: new Set(byName.values()),
  usual,
  saved: undefined,
})

/** Trusts each operation as it is printed, as clients with a cache send it, as GraphiQL does, and as its file is written. */
function trustingAll(operations: readonly SavedOperation[]): TrustedDocuments {
  const byName = new Map<string, string>()
  const cached: [name: string, text: string][] = []
  for (const { name, document, query } of operations) {
    const source = wholeSource(document)
    const orders = [document, ...(source === undefined || document.definitions.length === 1 ? [] : [inOrderOfPlaces(document)])]
    const [[text = '', ...others] = [], ...more] = orders.map((each) => [print(each), ...cachedForms(each)])
    byName.set(name, text)
    for (const each of [text, ...others, ...more.flat(), query, source ?? text]) byName.set(hash('sha256', each), each)
    for (const each of new Set(others)) if (each !== text) cached.push([name, each])
  }
  const printed = operations.map(({ name }) => [name, byName.get(name) as string] as const)
  return { ...trusting(byName, [...printed, ...cached]), saved: shown(operations) }
}

/** The text of the file that has an operation and its fragments; undefined when there is more than one. */
function wholeSource({ definitions }: DocumentNode): string | undefined {
  const [first, ...others] = new Set(definitions.map(({ loc }) => loc?.source))
  return others.length === 0 ? first?.body : undefined
}

const inOrderOfPlaces = ({ definitions, ...document }: DocumentNode): DocumentNode => ({
  ...document,
  definitions: definitions.toSorted((one, other) => (one.loc?.start ?? 0) - (other.loc?.start ?? 0)),
})

/** A document as Apollo Client and as urql send it: with `__typename` in each selection but those of operations. */
function cachedForms(document: DocumentNode): string[] {
  const leave = (node: SelectionSetNode, _: unknown, parent: unknown) =>
    (parent as ASTNode).kind === Kind.OPERATION_DEFINITION || node.selections.some(isMeta)
      ? undefined
      : { ...node, selections: [...node.selections, TYPENAME] }
  const text = print(visit(document, { SelectionSet: { leave } }))
  // urql has a new line before each string, and no empty ones.
  const parts = text.split(STRING).map((part, place) => (place % 2 === 1 ? part : part.replace(/\n+|$/g, '\n')))
  return [text, parts.join('').trim()]
}

const STRING = /("{3}[\s\S]*"{3}|"(?:\\.|[^"])*")/g

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }

const isMeta = (node: SelectionNode): boolean => node.kind === Kind.FIELD && node.name.value.startsWith('__')
