import { performance } from 'node:perf_hooks'
import type { FieldNode } from 'graphql'
import { CallBudgetError } from '../../upstream/errors.js'
import type { Params } from '../../upstream/routes.js'
import type { CallCount, CallObserver, WireCall } from '../../upstream/session.js'
import type { Entity } from '../edges.js'

/** What calls are made for: fields, and the entity where its records are read by key. */
export interface Served {
  readonly fields: readonly FieldNode[]
  readonly entity?: Entity | undefined
}

/** A call an operation asked for. */
export interface RecordedCall {
  readonly served: Served
  readonly method: string
  readonly route: string
  readonly params: Params
  readonly ids: readonly unknown[] | undefined
  /** Whether it was on its way already, for somebody else. */
  readonly shared: boolean
  /** 1, and more where it has been sent again. */
  readonly attempt: number
  /** How it went; nothing when it was not sent. */
  readonly wire: WireCall | undefined
}

/** Notes the calls of one operation, in the order in which they were asked for. */
export class Recorder {
  readonly startedAt = performance.now()
  readonly calls: RecordedCall[] = []

  /** Of what is asked only ids are noted: the rest may be secret. A call that is sent again is noted again. */
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

/** Counts the REST calls of one operation, those it shares with others among them, and ends it where it would make too many. */
export class Meter implements CallCount {
  private calls = 0

  constructor(private readonly most: number) {}

  take(): undefined {
    if (this.calls >= this.most)
      throw new CallBudgetError(`The operation has made ${this.most} REST calls, which is as many as one may: ask for less at a time.`)
    this.calls++
  }

  /** The same count for calls that are recorded as serving some fields. */
  recording(recorder: Recorder, served: Served): CallCount {
    return {
      take: (...call): CallObserver => {
        this.take()
        return recorder.begin(served, ...call)
      },
    }
  }
}
