import type { TabsState } from '@graphiql/react'
import { type HttpHeaders, headersIn, mergedHeaders, objectIn } from '../headers.js'
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

/** What the page knows of a response besides its text. */
export interface Answer {
  /** The HTTP status. */
  status: number
  /** Milliseconds from the request to the last part of the response, as the page measures it. */
  time: number
}

/** An operation that was run in a tab. */
export interface Run {
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  readonly headers: HttpHeaders
  readonly outcome: Outcome
  /** Undefined until the run has ended. */
  readonly answer: Answer | undefined
}

/** What has changed in a tab since a run, in words; undefined if the tab would send the same again. */
export function changeSince(run: Run, { query, variables, headers }: TabsState['tabs'][number], page: HttpHeaders): string | undefined {
  if (query !== run.query) return 'the query'
  if (JSON.stringify(objectIn(variables)) !== JSON.stringify(run.variables)) return 'the variables'
  return JSON.stringify(mergedHeaders(page, headersIn(headers))) === JSON.stringify(run.headers) ? undefined : 'the user or the headers'
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
  begin(sent: Omit<Run, 'outcome' | 'answer'>): (outcome: Outcome, answer?: Answer) => void {
    const tab = this.current
    if (tab === undefined) return () => {}
    let run: Run = { ...sent, outcome: { kind: 'running' }, answer: undefined }
    this.set(tab, run)
    return (outcome, answer) => {
      if (this.of(tab) !== run || run.outcome.kind !== 'running') return
      run = { ...run, outcome, answer }
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
