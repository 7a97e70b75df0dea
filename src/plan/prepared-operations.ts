import { type DocumentNode, Kind } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Arguments } from './arguments.js'
import { switches } from './document.js'
import { type Layout, layOut } from './layout.js'
import type { Plan } from './plan.js'
import type { Planner } from './planner.js'

type Variables = Readonly<Record<string, unknown>>
type OperationName = string | null | undefined

/** An operation with its directives decided, and what is derived from it once. */
export class PreparedOperation {
  /** Whether its records were fetched before. */
  hasRun = false
  /** What a response writer derives from the plan, once. */
  memo: unknown
  /** The layout, when it is the same in every run. */
  private kept: Layout | undefined

  constructor(readonly plan: Plan) {}

  /** Returns the layout of the operation with these arguments. */
  layOut(given: Arguments): Layout {
    if (this.kept) return this.kept
    const layout = layOut([this.plan.root], given, true)
    if (layout.isFixed) this.kept = layout
    return layout
  }
}

/** A cached document, with the names of its operations that have passed validation. */
class PreparedDocument {
  readonly valid = new Set<OperationName>()
  /** By operation name, the values of directives, and whether it is restricted. Undefined for operations that cannot be planned. */
  readonly variants = new Map<string, PreparedOperation | undefined>()
  private readonly switches: readonly string[]
  /** Whether requests need not name its operation. */
  private readonly isSingle: boolean

  constructor(
    readonly text: string,
    readonly document: DocumentNode,
    readonly isTrusted: boolean,
  ) {
    this.switches = switches(document)
    this.isSingle = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length === 1
  }

  keyOf(operationName: OperationName, variables: Variables, restricted: boolean): string {
    return `${this.isSingle ? '' : (operationName ?? '')}\n${restricted ? 'restricted' : ''}\n${this.switches.map((name) => variables[name])}`
  }

  /** Estimated size in memory. */
  get bytes(): number {
    let selections = 0
    for (const operation of this.variants.values()) selections += (operation?.plan.size ?? 0) + SELECTIONS_PER_PLAN
    return this.text.length * BYTES_PER_CHARACTER + selections * BYTES_PER_SELECTION
  }
}

/** Measured with documents of 30 to 17,000 characters: a parsed document, and a plan with its response writer. */
const BYTES_PER_CHARACTER = 40
const BYTES_PER_SELECTION = 1_500
const SELECTIONS_PER_PLAN = 3

/** Longest document that is cached, in characters, unless it is trusted. */
const MAX_TEXT = 20_000
const MAX_VARIANTS = 8
const MAX_BYTES = 32 * 2 ** 20
/** Estimated bytes of trusted documents up to which operations are prepared before they run. */
const MAX_AHEAD = 64 * 2 ** 20
/** Total characters of the documents that have run once. */
const MAX_ONCE = 500_000

export interface PreparedOperationsOptions {
  /** Texts of documents that are kept once they have run, whatever else comes. */
  readonly trusted?: ReadonlySet<string>
  /** Estimated bytes that all other documents may take together. */
  readonly maxBytes?: number
}

/**
 * The cache of prepared operations: by the text of their document, then by their name and the values of their directives. It is bounded in
 * bytes. A document enters it when it runs for the second time: documents that come once would displace others, and each would be copied to
 * the old generation of the heap, which took 120 MB more in the long memory test.
 */
export class PreparedOperations {
  private readonly byDocument = new WeakMap<DocumentNode, PreparedDocument>()
  private readonly trusted = new Map<string, PreparedDocument>()
  private readonly kept: LRUCache<string, PreparedDocument>
  /** Texts that have run once so far. */
  private readonly once = new LRUCache<string, true>({ maxSize: MAX_ONCE, sizeCalculation: (_, text) => text.length + 1 })
  private readonly trustedTexts: ReadonlySet<string>
  /** Estimated bytes of the documents whose operations were prepared before they run. */
  private bytesAhead = 0
  private hits = 0
  private misses = 0

  constructor(
    readonly planner: Planner,
    { trusted = new Set(), maxBytes = MAX_BYTES }: PreparedOperationsOptions = {},
  ) {
    this.trustedTexts = trusted
    this.kept = new LRUCache({
      maxSize: maxBytes,
      dispose: ({ document }, _, reason) => {
        if (reason !== 'set') this.byDocument.delete(document)
      },
    })
  }

  /** The number of documents, the estimated bytes of documents that are not trusted, and the numbers of lookups that hit and that missed. */
  get state(): { readonly documents: number; readonly bytes: number; readonly hits: number; readonly misses: number } {
    const { kept, trusted, hits, misses } = this
    return { documents: kept.size + trusted.size, bytes: kept.calculatedSize, hits, misses }
  }

  /** The parsed document of a text. */
  document(text: string): DocumentNode | undefined {
    return (this.kept.get(text) ?? this.trusted.get(text))?.document
  }

  /** Whether a text has not run before. Trusted texts are never new. */
  isNew(text: string): boolean {
    return !this.once.has(text) && !this.trustedTexts.has(text)
  }

  /** Whether an operation of the document has passed validation, which covers the whole document. */
  isValid(document: DocumentNode): boolean {
    return this.byDocument.has(document)
  }

  /** The parsed document of a text whose operation of this name has passed all checks before. */
  known(text: string, operationName: OperationName): DocumentNode | undefined {
    const prepared = this.kept.get(text) ?? this.trusted.get(text)
    return prepared?.valid.has(operationName) ? prepared.document : undefined
  }

  /** Records that an operation has passed all checks. */
  passed(document: DocumentNode, operationName: OperationName): void {
    const text = document.loc?.source.body
    if (text === undefined) return
    // When several requests bring the same text at once, the first document is kept.
    const known = this.kept.get(text) ?? this.trusted.get(text)
    if (known) return void known.valid.add(operationName)
    const isTrusted = this.trustedTexts.has(text)
    if (!isTrusted && text.length > MAX_TEXT) return
    if (!isTrusted && !this.once.delete(text)) return void this.once.set(text, true)
    const prepared = new PreparedDocument(text, document, isTrusted)
    prepared.valid.add(operationName)
    this.keep(prepared)
  }

  /** Whether further operations should be prepared before they run. */
  get hasRoom(): boolean {
    return this.bytesAhead < MAX_AHEAD
  }

  /** Prepares an operation of a trusted document before it runs. Returns nothing when that has run meanwhile. */
  ahead(document: DocumentNode, name: OperationName, given: Variables, restricted: boolean): PreparedOperation | undefined {
    const prepared = this.byDocument.get(document)
    const plan = prepared && this.planner.make(document, name, given, false, restricted)
    if (!plan) return undefined
    const made = new PreparedOperation(plan)
    const before = prepared.variants.size === 0 ? 0 : prepared.bytes
    prepared.variants.set(prepared.keyOf(name, given, restricted), made)
    this.bytesAhead += prepared.bytes - before
    return made
  }

  private keep(prepared: PreparedDocument): void {
    const { text, document, isTrusted, bytes } = prepared
    this.byDocument.set(document, prepared)
    if (isTrusted) this.trusted.set(text, prepared)
    else this.kept.set(text, prepared, { size: bytes })
  }

  /** Returns nothing when there is no such operation. `restricted` is that of the plan, and `keep` is false for operations that do not run. */
  prepare(document: DocumentNode, name: OperationName, given: Variables, keep = true, restricted = false): PreparedOperation | undefined {
    const prepared = this.byDocument.get(document)
    const key = prepared?.keyOf(name, given, restricted) ?? ''
    const known = prepared?.variants.get(key)
    if (known || prepared?.variants.has(key)) {
      if (keep) this.hits++
      return known
    }
    if (keep) this.misses++
    const plan = this.planner.make(document, name, given, false, restricted)
    const made = plan && new PreparedOperation(plan)
    if (prepared && keep) this.addVariant(prepared, key, made)
    return made
  }

  private addVariant(prepared: PreparedDocument, key: string, operation: PreparedOperation | undefined): void {
    const { variants } = prepared
    if (variants.size >= MAX_VARIANTS) variants.delete(variants.keys().next().value as string)
    variants.set(key, operation)
    if (prepared.isTrusted) return
    // The cache measures a value again only when it is new.
    this.kept.delete(prepared.text)
    this.keep(prepared)
  }
}
