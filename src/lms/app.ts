import { Hono } from 'hono'
import { authenticate } from './auth.js'
import { noRoute, RestError } from './errors.js'
import { readQuery, searchOf } from './params.js'
import { type Lms, sendError, type Variables } from './routes/answer.js'
import { addGroupCourseRoutes } from './routes/group-courses.js'
import { addPostRoutes } from './routes/posts.js'
import { addPriceTypeRoutes } from './routes/price-types.js'
import { addProgressRoutes } from './routes/progress.js'
import { addQuestionRoutes } from './routes/questions.js'
import { addWriteRoutes } from './routes/writes.js'
import { scheduler } from './scheduled.js'

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

/** The LMS as an HTTP application: every route below `/lms`, and the same below `/wp-json/lms`. */
export function createApp(lms: Lms, onCall?: (call: LmsCall) => void): Hono<{ Variables: Variables }> {
  const routes = new Hono<{ Variables: Variables }>({ strict: false })
  for (const add of ROUTES) add(routes, lms)

  const app = new Hono<{ Variables: Variables }>({ strict: false })
  if (onCall) {
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
  const publishDue = scheduler(lms.store)
  app.use((call, next) => {
    publishDue()
    call.set('viewer', authenticate(lms.store, call.req.header('authorization')))
    call.set('query', readQuery(searchOf(call.req.url)))
    return next()
  })
  app.route('/', routes)
  app.route('/wp-json', routes)
  app.notFound((call) => sendError(call, noRoute()))
  app.onError((error, call) => {
    if (error instanceof RestError) return sendError(call, error)
    console.error(error)
    return sendError(call, new RestError(500, 'internal_server_error', 'There has been a critical error on this site.'))
  })
  return app
}
