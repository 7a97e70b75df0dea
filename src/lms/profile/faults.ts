import { fault, latency } from './fault.js'
import { count } from './switch.js'

/** How fast a site is. */
const LOAD = {
  latency: latency('How long answers take, by a log-normal distribution.'),
  workers: count('Requests that are worked on at a time; others wait in the order they came. 0: all.', 1000),
} as const

/** What may go wrong with an answer. In the order in which they are looked at: the first that replaces an answer wins. */
export const FAULTS = {
  redirectHttps: fault('301 to the same address with https.'),
  redirectHost: fault('301 to the same path of another host.'),
  redirectSlash: fault('301 to the same path with a slash at its end.'),
  maintenance: fault('503 of a site under maintenance, as HTML or as JSON by `Accept`; `Retry-After` is 600.'),
  rateLimited: fault('429 as HTML; without `Retry-After` unless given.'),
  fatalHtml: fault('500 of a fatal error in PHP, as HTML.'),
  fatalJson: fault('500 of a fatal error in PHP, as JSON with HTML in its message.'),
  errorUnder200: fault('200 with the body of an error.'),
  empty200: fault('200 with an empty body.'),
  phpWarning: fault('A warning of PHP as HTML before the JSON.'),
  bom: fault('A byte order mark before the JSON.'),
  wrongContentType: fault('The JSON as text/html.'),
  invalidGzip: fault('The JSON said to be gzip, which it is not.'),
  cutOff: fault('The connection ends in the middle of the body.'),
} as const

/** How fast and how sound a site's answers are. */
export const LOAD_AND_FAULTS = { ...LOAD, ...FAULTS } as const
