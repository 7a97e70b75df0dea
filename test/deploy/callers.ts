import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'

interface Answered {
  readonly replica: number
  readonly at: number
  readonly took: number
}

export interface CallersOptions {
  /** Share of mutations. */
  readonly writes?: number
  /** Whether all have the same credentials. */
  readonly sameCaller?: boolean
}

const QUERY = 'query ($id: ID!) { course(id: $id) { title } }'
const MUTATION =
  'mutation ($input: UpdateCourseInput!) { updateCourse(input: $input) { __typename ... on LmsError { code message } ... on UpdateCourseSuccess { course { title } } } }'

/** Callers with credentials of their own. Each one sends one operation after another over its own connection. */
export class Callers {
  readonly answered: Answered[] = []
  /** Operations that got no answer or a wrong one, by what happened. */
  readonly failures = new Map<string, number>()
  /** Titles whose mutation was answered with success. */
  readonly written: string[] = []
  private goesOn = true
  private readonly ended: Promise<unknown>

  constructor(
    private readonly urls: readonly string[],
    count: number,
    private readonly options: CallersOptions = {},
  ) {
    this.ended = Promise.all(Array.from({ length: count }, (_, caller) => this.run(caller)))
  }

  /** Answers that came since `from` and before `to`, in milliseconds of `performance.now()`. */
  since(from: number, to = Number.POSITIVE_INFINITY): Answered[] {
    return this.answered.filter(({ at }) => at >= from && at < to)
  }

  async stop(): Promise<void> {
    this.goesOn = false
    await this.ended
  }

  private async run(caller: number): Promise<void> {
    const replica = caller % this.urls.length
    const client = new Client(this.urls[replica] as string, { headersTimeout: 60_000, bodyTimeout: 60_000 })
    for (let count = 0; this.goesOn; count++) {
      const outcome = await this.ask(client, replica, caller, count)
      if (outcome === undefined) continue
      this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + 1)
      await sleep(50)
    }
    await client.close()
  }

  /** Returns what went wrong. */
  private async ask(client: Client, replica: number, caller: number, count: number): Promise<string | undefined> {
    const id = 1 + caller * 100_000 + count
    const isWrite = count % 100 < (this.options.writes ?? 0) * 100
    const title = isWrite ? `Written ${id}` : `Title ${id}`
    const asked = isWrite
      ? { query: MUTATION, variables: { input: { id: String(id), title } } }
      : { query: QUERY, variables: { id: String(id) } }
    const since = performance.now()
    try {
      const { statusCode, body } = await client.request({
        path: '/graphql',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(`caller-${this.options.sameCaller ? '' : caller}:secret`).toString('base64')}`,
        },
        body: JSON.stringify(asked),
      })
      const text = await body.text()
      const expected = isWrite ? { updateCourse: { __typename: 'UpdateCourseSuccess', course: { title } } } : { course: { title } }
      if (statusCode !== 200 || text !== JSON.stringify({ data: expected })) return `${statusCode} ${text.replace(/\d+/g, 'N')}`
      if (isWrite) this.written.push(title)
      const at = performance.now()
      this.answered.push({ replica, at, took: at - since })
      return undefined
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error)
    }
  }
}

/** A quantile of the durations, in milliseconds. */
export function quantile(answered: readonly Answered[], share: number): number {
  const sorted = answered.map(({ took }) => took).sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}
