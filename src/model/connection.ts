import type { Query } from '../upstream/client.js'
import type { LmsError } from '../upstream/errors.js'
import type { Params } from '../upstream/routes.js'
import type { LmsRecord } from './entity.js'
import type { RecordState } from './records.js'

/** The path parameters and filters that stand for the parent of a list. */
export interface Scope {
  readonly params: Params
  readonly query?: Query
}

/** A name that is equal for equal scopes. */
export function scopeName({ params, query }: Scope): string {
  let name = ''
  for (const key in params) name += `${params[key]}/`
  for (const key in query) name += `${key}=${query[key]}&`
  return name
}

/** What an operation knows of one list: nothing before it was read, then its window or the error that prevented the read. */
export class ListState {
  list: Connection | LmsError | undefined
  /** Whether it was read with `context=edit`, so that it carries edit-only columns. */
  isInEdit = false

  constructor(readonly scope: Scope) {}
}

/** The opaque cursor of a position. */
export const cursorOf = (position: number): string => Buffer.from(`offset:${position}`).toString('base64url')

/** The part of a list that a connection holds. */
export interface ConnectionWindow {
  /** Position of the first row. */
  readonly start: number
  /** Length of the list; `null` when the site does not send it. */
  readonly total: number | null
  readonly hasNext: boolean
  readonly hasPrevious: boolean
}

/** One window of a list, in the shape of a Relay connection. */
export class Connection {
  constructor(
    readonly states: readonly RecordState[],
    readonly rowData: readonly LmsRecord[] | null,
    private readonly window: ConnectionWindow,
    private readonly rowDataField: string | undefined,
  ) {}

  get nodes(): readonly unknown[] {
    return this.states.map((state) => state.value)
  }

  get edges(): readonly object[] {
    return this.states.map((state, index) => ({
      node: state.value,
      cursor: cursorOf(this.window.start + index),
      ...(this.rowDataField === undefined ? this.rowData?.[index] : { [this.rowDataField]: this.rowData?.[index] }),
    }))
  }

  /** Whether the window holds all rows of the list. */
  get isWhole(): boolean {
    const { start, total } = this.window
    return start === 0 && total !== null && this.states.length >= total
  }

  get totalCount(): number | null {
    return this.window.total
  }

  get pageInfo(): object {
    const { start, hasNext, hasPrevious } = this.window
    const count = this.states.length
    return {
      hasNextPage: hasNext,
      hasPreviousPage: hasPrevious,
      startCursor: count > 0 ? cursorOf(start) : null,
      endCursor: count > 0 ? cursorOf(start + count - 1) : null,
    }
  }
}
