import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'

/** A request that got no answer. */
export interface Failure {
  readonly lane: number
  readonly code: string
  /** Whether there was a connection to send it on. */
  readonly refused: boolean
}

/** Clients that each have one connection, on which they ask one thing after the other. */
export class Load {
  readonly failures: Failure[] = []
  /** Right answers by lane. */
  readonly served: number[]
  /** Answers that were not right. */
  readonly wrong: string[] = []
  private goesOn = true
  private readonly ended: Promise<unknown>

  constructor(
    private readonly url: string,
    lanes: number,
  ) {
    this.served = Array(lanes).fill(0)
    this.ended = Promise.all(this.served.map((_, lane) => this.run(lane)))
  }

  /** Right answers of all. */
  get total(): number {
    return this.served.reduce((sum, count) => sum + count)
  }

  get lost(): readonly Failure[] {
    return this.failures.filter(({ refused }) => !refused)
  }

  /** Lets what has been asked be answered. */
  async stop(): Promise<void> {
    this.goesOn = false
    await this.ended
  }

  private async run(lane: number): Promise<void> {
    const client = new Client(this.url)
    for (let count = 0; this.goesOn; count++) {
      // Some of them are busy all the time, others now and then.
      await Promise.all([this.ask(client, lane, count), sleep((lane % 4) * 40)])
    }
    await client.close()
  }

  private async ask(client: Client, lane: number, count: number): Promise<void> {
    const id = 1 + lane * 100_000 + count
    try {
      const { statusCode, body } = await client.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'query ($id: ID!) { course(id: $id) { title } }', variables: { id } }),
      })
      const text = await body.text()
      if (statusCode === 200 && text === JSON.stringify({ data: { course: { title: `Title ${id}` } } })) this.served[lane]!++
      else this.wrong.push(`${statusCode} ${text}`)
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException
      this.failures.push({ lane, code, refused: code === 'ECONNREFUSED' })
      // A gateway that is gone is asked again, but not all the time.
      await sleep(50)
    }
  }
}
