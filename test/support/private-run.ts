import { setTimeout as sleep } from 'node:timers/promises'
import { marksIn } from './marks.js'
import { SECRET } from './private-callers.js'
import type { Job, Kinds } from './private-operations.js'
import type { Served } from './served.js'

/** Counts of one kind of operation. */
export interface Tally {
  ran: number
  /** Number of responses. */
  answered: number
  /** Responses with marks of their caller in the data, with errors, and with errors of mutations. */
  held: number
  errors: number
  problems: number
  /** Marks of their callers in all responses. */
  marks: number
  /** Operations of editors, who may do everything, and those of them that were held. */
  byEditors: number
  heldByEditors: number
}

interface Answer {
  /** Status and headers. */
  readonly head: string
  readonly body: string
}

/** Milliseconds after which a response counts as lost. */
const DEADLINE = 60_000

/** Most characters of a document in a URL. */
const LONGEST_ADDRESS = 8_000

/** Runs operations in parallel, and compares every response with the mark of its caller. */
export class Run {
  readonly tallies = new Map<string, Tally>()
  /** Short descriptions of responses with marks of others or with credentials. */
  readonly foreign: string[] = []
  /** Errors of editors, and invalid responses. */
  readonly undeserved: string[] = []
  characters = 0

  constructor(
    private readonly gateway: Served,
    private readonly kinds: Kinds,
  ) {}

  /** Runs all operations, some at a time, until one gets no response. */
  async all(jobs: readonly Job[], atATime: number): Promise<void> {
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < jobs.length) {
        const job = jobs[next++] as Job
        if (await inTime(this.one(job))) continue
        this.undeserved.push(`${job.kind}: no answer\n${job.query}`)
        next = jobs.length
      }
    }
    await Promise.all(Array.from({ length: atATime }, worker))
  }

  /** A count over all kinds, or those that pass. */
  total(count: keyof Tally, passes: (kind: string) => boolean = () => true): number {
    return [...this.tallies].reduce((sum, [kind, tally]) => sum + (passes(kind) ? tally[count] : 0), 0)
  }

  private async one(job: Job): Promise<void> {
    const tally = this.tallies.get(job.kind) ?? {
      ran: 0,
      answered: 0,
      held: 0,
      errors: 0,
      problems: 0,
      marks: 0,
      byEditors: 0,
      heldByEditors: 0,
    }
    this.tallies.set(job.kind, tally)
    tally.ran++
    const leaver = new AbortController()
    if (job.patience !== undefined) void sleep(job.patience).then(() => leaver.abort())
    try {
      this.judge(job, tally, await this.fetch(job, leaver.signal))
    } catch (error) {
      if (!leaver.signal.aborted) this.undeserved.push(`${job.kind}: ${error}`)
    }
  }

  private async fetch({ caller, query, variables = {}, byGet }: Job, signal: AbortSignal): Promise<Answer> {
    const headers = { accept: 'application/json', ...caller.headers }
    const response = await (byGet && query.length < LONGEST_ADDRESS
      ? fetch(`${this.gateway.url}/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`, { signal, headers })
      : this.gateway.post({ query, variables }, headers, { signal }))
    return { head: `${response.status} ${response.statusText} ${JSON.stringify([...response.headers])}`, body: await response.text() }
  }

  private judge({ kind, caller, query }: Job, tally: Tally, { head, body }: Answer): void {
    const text = `${head}\n${body}`
    const marks = marksIn(text)
    tally.answered++
    tally.marks += marks.get(caller.number) ?? 0
    this.characters += text.length
    const others = [...marks.keys()].filter((each) => each !== caller.number)
    if (others.length > 0 || text.includes(SECRET))
      this.foreign.push(`${kind} of ${caller.number} shows ${others}\n${query}\n${text.slice(0, 1_000)}`)
    const { data, errors } = JSON.parse(body) as { data?: unknown; errors?: readonly object[] }
    const shown = JSON.stringify(data ?? null)
    const problem = shown.includes('"problem":')
    if (problem) tally.problems++
    else if (marksIn(shown).has(caller.number)) {
      tally.held++
      if (caller.role === 'editor') tally.heldByEditors++
    }
    if (caller.role === 'editor') tally.byEditors++
    if (errors) tally.errors++
    if ((errors || problem) && caller.role === 'editor' && this.kinds[kind]?.clean)
      this.undeserved.push(`${kind}: ${JSON.stringify(errors ?? data).slice(0, 1_000)}\n${query}`)
  }
}

async function inTime(work: Promise<void>): Promise<boolean> {
  const over = new AbortController()
  const late = sleep(DEADLINE, false, { signal: over.signal }).catch(() => true)
  const done = await Promise.race([work.then(() => true), late])
  over.abort()
  return done
}
