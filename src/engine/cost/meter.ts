import { CallBudgetError } from '../../upstream/errors.js'
import type { CallCount, CallWatcher } from '../../upstream/session.js'
import type { Recorder, Served } from './recorder.js'

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
      take: (...call): CallWatcher => {
        this.take()
        return recorder.begin(served, ...call)
      },
    }
  }
}
