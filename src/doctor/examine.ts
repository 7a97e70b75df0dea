import { basic, Credentials } from '../upstream/session.js'
import type { Site } from '../upstream/site/site.js'
import { CHECKS } from './checks/index.js'
import type { Finding } from './finding.js'
import { type Made, MOST_CALLS, Prober } from './prober.js'
import { type Hints, Survey } from './survey.js'

export interface ExamineOptions {
  /** REST root of the site, or its front page. */
  readonly upstream: string
  /** Account whose sight is taken; anonymous without. */
  readonly account?: { readonly user: string; readonly password: string } | undefined
  readonly hints?: Hints | undefined
  /** Milliseconds, as the gateway's. */
  readonly timeout: number
  readonly connectTimeout: number
  /** Largest answer in bytes. */
  readonly maxResponseBytes: number
  /** Told before each call how many there may be, which one it is, and what for. */
  readonly onProgress?: ((progress: { readonly call: number; readonly most: number; readonly what: string }) => void) | undefined
}

/** All that was found out about a site. */
export interface Examination {
  readonly site: Site
  readonly findings: readonly Finding[]
  readonly calls: readonly Made[]
  /** Whether the interface was found at all: else the site is but its address. */
  readonly found: boolean
  /** In-flight limit that seems right, where the default does not. */
  readonly maxInFlight: number | undefined
}

/** Examines a site by a few reads. Never writes, and never rejects for what a site answers. */
export async function examine(options: ExamineOptions): Promise<Examination> {
  const { account, timeout, connectTimeout, maxResponseBytes: maxBytes, onProgress } = options
  const authorization = account && basic(account.user, account.password)
  const prober = new Prober({
    credentials: new Credentials(authorization === undefined ? {} : { authorization }),
    timeout,
    connectTimeout,
    maxBytes,
    onCall: (call, what) => onProgress?.({ call, most: MOST_CALLS, what }),
  })
  const survey = new Survey(prober, options.upstream, options.hints)
  try {
    const probed: (() => readonly Finding[])[] = []
    for (const { probe, judge } of CHECKS) {
      if (probe && survey.stopped !== undefined) continue
      const evidence = await probe?.(survey)
      probed.push(() => judge(survey, evidence))
    }
    const findings = probed.flatMap((judge) => judge())
    return { site: survey.site, findings, calls: prober.calls, found: survey.stopped === undefined, maxInFlight: survey.maxInFlight }
  } finally {
    await prober.close()
  }
}
