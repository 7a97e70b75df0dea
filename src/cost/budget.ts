import { performance } from 'node:perf_hooks'
import type { FieldNode } from 'graphql'
import type { Entity } from '../model/entity.js'
import { type Plan, pathsOf } from '../plan/plan.js'
import type { CallCount, CallObserver } from '../upstream/call-scope.js'
import { CallBudgetError } from '../upstream/errors.js'
import type { Params } from '../upstream/routes.js'
import type { WireCall } from '../upstream/spans.js'

/** The fields for which calls are made, and the entity if its records are read by key. */
export interface Served {
  readonly fields: readonly FieldNode[]
  readonly entity?: Entity | undefined
  /** The wave of the calls. Undefined for calls that are not planned. */
  readonly wave?: number | undefined
}

/** One attempt of a REST call of an operation. Times are in milliseconds since the process started. */
export interface RecordedCall {
  readonly served: Served
  readonly method: string
  readonly route: string
  /** Parameters of the path, and numbers of the query. */
  readonly params: Params
  readonly ids: readonly unknown[] | undefined
  /** 1 for the first attempt, more for retries. */
  readonly attempt: number
  /** When the call was needed. Of a retry: when the attempt before it ended. */
  readonly neededAt: number
  /** Whether an identical read was in flight already. */
  shared: boolean
  /** Status, size and time on the wire; undefined if it was not sent. Of a shared call, they are those of the read in flight. */
  wire: WireCall | undefined
  /** When the headers of the answer were received, if that was observed. */
  answeredAt: number | undefined
  /** Age in seconds of the kept answer that was used instead of a call, or of the failing site. */
  cachedAge: number | undefined
  /** When a call failed that was not sent. */
  failedAt: number | undefined
}

/** Records the calls of one operation. */
export class CallRecorder {
  readonly startedAt = performance.now()
  readonly calls: RecordedCall[] = []
  /** Paths of the fields for which calls are made. */
  readonly paths = new Map<FieldNode | undefined, string>()
  /** The last wave in which calls were made. */
  lastWave = 0
  /** Calls that the plan would need without batches and without reuse of records and lists. */
  unbatched = 0

  /** Adds the paths of the fields of a plan. */
  follow(plan: Plan): void {
    for (const [field, path] of pathsOf(plan)) this.paths.set(field, path)
  }

  /** Adds a field that stands for a deferred fragment, with the path of the field around the fragment. */
  followDeferred(field: FieldNode, [first]: Iterable<FieldNode>): void {
    const path = this.paths.get(first)
    if (path?.includes('.')) this.paths.set(field, path.slice(0, path.lastIndexOf('.')))
  }

  /** Records a call. Of its query only ids and positions are kept, because the rest may be secret. Each retry is recorded as a further call. */
  begin(served: Served, method: string, route: string, params: Params, query: Readonly<Record<string, unknown>>): CallObserver {
    const ids = Array.isArray(query.include) ? query.include : undefined
    const more = { shared: false, wire: undefined, answeredAt: undefined, cachedAge: undefined, failedAt: undefined }
    const shown = { ...params, ...numbersIn(query) }
    let call: RecordedCall = { served, method, route, params: shown, ids, attempt: 1, neededAt: performance.now(), ...more }
    this.calls.push(call)
    this.lastWave = Math.max(this.lastWave, served.wave ?? 0)
    return {
      joined: () => {
        call.shared = true
      },
      cached: (age) => {
        call.cachedAge = age
      },
      ended: (wire, answeredAt) => {
        if (call.failedAt !== undefined) return
        if (call.wire) {
          call = { ...call, attempt: call.attempt + 1, neededAt: call.wire.startedAt + call.wire.duration }
          this.calls.push(call)
        }
        call.wire = wire
        call.answeredAt = answeredAt
      },
      failed: () => {
        if (!call.wire) call.failedAt = performance.now()
      },
    }
  }
}

/** The numbers of a query, which tell calls of one route apart, without the size of pages. */
const numbersIn = (query: Readonly<Record<string, unknown>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[0] !== 'per_page'),
  )

/** Counts the REST calls of one operation, including shared calls and reads that the cache answers. Throws when it exceeds the budget. */
export class CallBudget implements CallCount {
  private calls = 0

  constructor(private readonly most: number) {}

  take(): undefined {
    if (this.calls >= this.most)
      throw new CallBudgetError(`The operation has reached the budget of ${this.most} REST calls. Request less at a time.`)
    this.calls++
  }

  /** Counts calls on the same budget, and records them as made for some fields. */
  recording(recorder: CallRecorder, served: Served): CallCount {
    return {
      take: (...call): CallObserver => {
        this.take()
        return recorder.begin(served, ...call)
      },
    }
  }
}
