import { Store } from '../store.js'
import type { Explanation } from './explanation.js'

/** How a run ended, as far as its REST calls are concerned. */
export type Outcome =
  | { readonly kind: 'running' }
  | { readonly kind: 'explained'; readonly explanation: Explanation }
  /** Refused before the first call, because it would exceed the budget. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The caller may not have operations explained. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'stopped' }
  /** The response has no explanation, for example because the document is invalid. */
  | { readonly kind: 'failed' }

/** An operation that was run in a tab. */
export interface Run {
  readonly query: string
  readonly operationName: string | undefined
  readonly outcome: Outcome
}

/** The last run of each tab. */
export class Runs {
  private readonly ofTab = new Store<ReadonlyMap<string, Run>>(new Map())
  private current: string | undefined

  readonly subscribe = this.ofTab.subscribe

  /** Sets the tab in which operations run from now on, and forgets the runs of closed tabs. */
  open(tab: string | undefined, tabs: readonly string[]): void {
    this.current = tab
    const known = this.ofTab.current()
    const left = [...known].filter(([id]) => tabs.includes(id))
    if (left.length < known.size) this.ofTab.set(new Map(left))
  }

  /** Records a run in the open tab. The returned function sets its outcome, once, unless the tab has run another operation since. */
  begin(query: string, operationName: string | undefined): (outcome: Outcome) => void {
    const tab = this.current
    if (tab === undefined) return () => {}
    let run: Run = { query, operationName, outcome: { kind: 'running' } }
    this.set(tab, run)
    return (outcome) => {
      if (this.of(tab) !== run || run.outcome.kind !== 'running') return
      run = { ...run, outcome }
      this.set(tab, run)
    }
  }

  /** The last run of a tab. */
  of(tab: string | undefined): Run | undefined {
    return tab === undefined ? undefined : this.ofTab.current().get(tab)
  }

  private set(tab: string, run: Run): void {
    this.ofTab.set(new Map(this.ofTab.current()).set(tab, run))
  }
}
