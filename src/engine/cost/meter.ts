import { performance } from 'node:perf_hooks'
import type { FieldNode } from 'graphql'
import { CallBudgetError } from '../../upstream/errors.js'
import type { Params } from '../../upstream/routes.js'
import type { CallCount, CallObserver, WireCall } from '../../upstream/session.js'
import type { Entity } from '../edges.js'

/** The fields for which calls are made, and the entity if its records are read by key. */
export interface Served {
  readonly fields: readonly FieldNode[]
  readonly entity?: Entity | undefined
}

/** A REST call of an operation. */
export interface RecordedCall {
  readonly served: Served
  readonly method: string
  readonly route: string
  readonly params: Params
  readonly ids: readonly unknown[] | undefined
  /** Whether an identical read was in flight already. */
  readonly shared: boolean
  /** 1 for the first attempt, more for retries. */
  readonly attempt: number
  /** Its time, status and size; undefined if it was not sent. */
  readonly wire: WireCall | undefined
}

/** Records the calls of one operation, in order. */
export class Recorder {
  readonly startedAt = performance.now()
  readonly calls: RecordedCall[] = []

  /** Records a call. Of its query only ids are kept, because the rest may be secret. Each retry is recorded as a further call. */
  begin(served: Served, method: string, route: string, params: Params, query: Readonly<Record<string, unknown>>): CallObserver {
    const ids = Array.isArray(query.include) ? query.include : undefined
    let place = this.calls.push({ served, method, route, params, ids, shared: false, attempt: 1, wire: undefined }) - 1
    const note = (more: Partial<RecordedCall>): void => {
      const call = this.calls[place] as RecordedCall
      if (more.wire && call.wire) place = this.calls.push({ ...call, ...more, attempt: call.attempt + 1 }) - 1
      else this.calls[place] = { ...call, ...more }
    }
    return { joined: () => note({ shared: true }), ended: (wire) => note({ wire }) }
  }
}

/** Counts the REST calls of one operation, shared ones included, and throws when it exceeds the budget. */
export class Meter implements CallCount {
  private calls = 0

  constructor(private readonly most: number) {}

  take(): undefined {
    if (this.calls >= this.most)
      throw new CallBudgetError(`The operation has reached the budget of ${this.most} REST calls. Request less at a time.`)
    this.calls++
  }

  /** Counts calls on the same budget, and records them as made for some fields. */
  recording(recorder: Recorder, served: Served): CallCount {
    return {
      take: (...call): CallObserver => {
        this.take()
        return recorder.begin(served, ...call)
      },
    }
  }
}
