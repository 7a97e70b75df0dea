import { basic, Credentials } from '../upstream/credentials.js'
import type { Site } from '../upstream/site/site.js'
import type { Network } from '../upstream/transport/network.js'
import { CHECKS } from './checks/index.js'
import type { Finding } from './finding.js'
import { type CallRecord, MAX_CALLS, Prober } from './prober.js'
import { type Accounts, type GivenSite, type Hints, Survey } from './survey.js'

export interface ExamineOptions extends Accounts {
  /** REST root of the site, or its front page. */
  readonly upstream: string
  readonly hints?: Hints | undefined
  /** Settings to check. */
  readonly given?: GivenSite | undefined
  /** Name of the file to which the settings that are found will be written. */
  readonly write?: string | undefined
  /** Timeout of a call in milliseconds, as in the gateway. */
  readonly timeout: number
  /** Largest answer in bytes. */
  readonly maxResponseBytes: number
  /** How the site is called. Without it, directly. */
  readonly network?: Network | undefined
  /** Called before each call with its number, the largest number of calls, and its purpose. */
  readonly onProgress?: ((progress: { readonly call: number; readonly most: number; readonly what: string }) => void) | undefined
}

/** The result of examining a site. */
export interface Examination {
  readonly site: Site
  readonly findings: readonly Finding[]
  readonly calls: readonly CallRecord[]
  /** Whether the interface was found. If not, `site` has only the URL. */
  readonly found: boolean
  /** Suggested limit of calls in flight, if it differs from the default. */
  readonly maxInFlight: number | undefined
}

/** Examines a site with a limited number of reads. Never writes, and never rejects because of an answer of the site. */
export async function examine(options: ExamineOptions): Promise<Examination> {
  const { account, timeout, maxResponseBytes: maxBytes, network, onProgress, hints, given, write } = options
  const authorization = account && basic(account.user, account.password)
  const prober = new Prober({
    credentials: new Credentials(authorization === undefined ? {} : { authorization }),
    timeout,
    maxBytes,
    network,
    onCall: (call, what) => onProgress?.({ call, most: MAX_CALLS, what }),
  })
  const survey = new Survey(prober, options.upstream, hints, given, write !== undefined, options)
  try {
    const judgements: (() => readonly Finding[])[] = []
    for (const { probe, judge } of CHECKS) {
      if (probe && survey.stopped !== undefined) continue
      const evidence = await probe?.(survey)
      judgements.push(() => judge(survey, evidence))
    }
    const findings = judgements.flatMap((judge) => judge())
    return { site: survey.site, findings, calls: prober.calls, found: survey.stopped === undefined, maxInFlight: survey.maxInFlight }
  } finally {
    await prober.close()
  }
}
