import type { IncomingHttpHeaders } from 'node:http'
import { merged, type TunedOptions } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

export interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly data: any
  readonly errors: readonly { message: string; extensions: Record<string, any> }[]
  /** The answer as it came. */
  readonly text: string
}

const QUERY = '{ priceTypes { slug } }'

/** Sends an operation over HTTP; without a query one that reads a table from the site. */
export async function ask(address: string, headers: Record<string, string> = {}, query = QUERY): Promise<Asked> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })
  const text = await response.text()
  const { data, errors = [] } = JSON.parse(text)
  return { status: response.status, headers: response.headers, data, errors, text }
}

/** A site that keeps what it was sent, and a gateway in front of it, both over HTTP. */
export class Recorded {
  readonly faults: unknown[] = []
  private constructor(
    readonly site: FakeSite,
    readonly gateway: Served,
  ) {}

  static async start(options: TunedOptions): Promise<Recorded> {
    const site = await FakeSite.start((_, response) => json(response, [{ slug: 'free', name: 'Free' }]))
    const faults: unknown[] = []
    const gateway = await serve(merged({ site: { url: site.url }, on: { fault: (fault) => faults.push(fault) } }, options))
    return Object.assign(new Recorded(site, gateway), { faults })
  }

  ask(headers?: Record<string, string>, query?: string): Promise<Asked> {
    return ask(this.gateway.url, headers, query)
  }

  /** Headers of the last call to the site. */
  get sent(): IncomingHttpHeaders {
    return this.site.requests.at(-1)?.headers ?? {}
  }

  /** Everything the site was sent, as text. */
  get allSent(): string {
    return JSON.stringify(this.site.requests.map(({ url, rawHeaders }) => [url, rawHeaders]))
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await this.site.close()
  }
}
