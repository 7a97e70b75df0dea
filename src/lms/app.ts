import { Hono } from 'hono'
import { authenticate, authenticateIfRight } from './auth.js'
import { envelope } from './envelope.js'
import { noRoute, RestError } from './errors.js'
import { troubles } from './faults/middleware.js'
import type { Workers } from './faults/workers.js'
import { inLanguage } from './messages.js'
import { readQuery, searchOf } from './params.js'
import { type Lms, sendError, type Variables } from './routes/answer.js'
import { addGroupCourseRoutes } from './routes/group-courses.js'
import { addPostRoutes } from './routes/posts.js'
import { addPriceTypeRoutes } from './routes/price-types.js'
import { addProgressRoutes } from './routes/progress.js'
import { addQuestionRoutes } from './routes/questions.js'
import { addSiteRoutes } from './routes/site.js'
import { addTopicRoutes } from './routes/topics.js'
import { addWriteRoutes } from './routes/writes.js'
import { pathOptions } from './routing.js'
import { scheduler } from './scheduled.js'
import { storageError } from './storage-errors.js'

/** What a listener learns of each answered call. */
export interface LmsCall {
  readonly method: string
  /** Path with query, as sent. */
  readonly url: string
  readonly status: number
  /** Size of the body. */
  readonly bytes: number
  /** Login of the caller; null for anonymous ones. */
  readonly user: string | null
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Milliseconds. */
  readonly duration: number
}

/** Path and query of an absolute URL. */
const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2))

const ROUTES = [addPostRoutes, addWriteRoutes, addGroupCourseRoutes, addProgressRoutes, addPriceTypeRoutes, addQuestionRoutes]

type App = Hono<{ Variables: Variables }>

function report(app: App, onCall: (call: LmsCall) => void): void {
  app.use(async (call, next) => {
    const startedAt = Date.now()
    const start = performance.now()
    await next()
    onCall({
      method: call.req.method,
      url: pathOf(call.req.url),
      status: call.res.status,
      bytes: call.get('bytes') ?? 0,
      user: call.get('viewer')?.login ?? null,
      startedAt,
      duration: performance.now() - start,
    })
  })
}

/** The LMS as an HTTP application: every route below its namespace, and the same below `/wp-json`. */
export function createApp(lms: Lms, workers: Workers, onCall?: (call: LmsCall) => void): App {
  const { switches } = lms
  const routes: App = new Hono({ strict: false })
  for (const add of ROUTES) add(routes, lms)
  if (switches.topics) addTopicRoutes(routes, lms)
  if (switches.siteRoutes) addSiteRoutes(routes, lms)

  const app: App = new Hono(pathOptions(switches.routing))
  if (onCall) report(app, onCall)
  const trouble = troubles(switches, workers)
  if (trouble) app.use(trouble)
  if (switches.envelope) app.use(envelope)
  const publishDue = scheduler(lms.store)
  const viewerOf = switches.wrongPasswordAnonymous ? authenticateIfRight : authenticate
  app.use((call, next) => {
    publishDue()
    call.set('viewer', viewerOf(lms.store, call.req.header('authorization')))
    call.set('query', readQuery(searchOf(call.req.url)))
    return next()
  })
  app.route('/', routes)
  app.route('/wp-json', routes)
  app.notFound((call) => sendError(call, inLanguage(noRoute(), switches.language)))
  app.onError((error, call) => {
    if (error instanceof RestError) return sendError(call, inLanguage(error, switches.language))
    const failure = storageError(error)
    if (failure) {
      console.error(`The LMS answers ${failure.status} to ${call.req.method} ${call.req.path}: ${error.message}`)
      return sendError(call, failure)
    }
    console.error(error)
    return sendError(call, new RestError(500, 'internal_server_error', 'There has been a critical error on this site.'))
  })
  return app
}
