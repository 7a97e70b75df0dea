import { Hono } from 'hono'
import { getPathNoStrict } from 'hono/utils/url'
import { authenticate, authenticateOrAnonymous } from './auth.js'
import { noRoute, RestError, storageError } from './errors.js'
import { faultMiddleware, type Workers } from './faults/middleware.js'
import { pathOf, readQuery, searchOf } from './params.js'
import type { Switches } from './profile/switches.js'
import { type Lms, sendError, type Variables } from './routes/answer.js'
import { addCourseStepRoutes } from './routes/course-steps.js'
import { addEnrolmentRoutes } from './routes/enrolments.js'
import { addGroupCourseRoutes } from './routes/group-courses.js'
import { pages } from './routes/pages.js'
import { addPictureRoutes } from './routes/pictures.js'
import { addPostRoutes } from './routes/posts.js'
import { addPriceTypeRoutes } from './routes/price-types.js'
import { addProgressRoutes } from './routes/progress.js'
import { addQuestionListRoutes, addQuestionRoutes } from './routes/questions.js'
import { addSiteRoutes } from './routes/site.js'
import { addWordpressRoutes } from './routes/wordpress.js'
import { addWriteRoutes } from './routes/writes.js'
import { scheduler } from './state.js'

/** A path that matches no route. */
const NOWHERE = '/-/'

/** The route of a request: its path, or the parameter of `/?rest_route=/lms/v1/groups`. With `only`, paths match no route. */
function routeOf(request: Request, only: boolean): string {
  const path = getPathNoStrict(request)
  const route = /^\/(index\.php)?$/.test(path) ? new URL(request.url).searchParams.get('rest_route') : null
  if (route !== null) return `/wp-json${route.replace(/\/$/, '')}`
  return only ? NOWHERE : path
}

/** Hono options that find the path of a request. A trailing slash is ignored. */
function pathOptions(routing: Switches['routing']): { strict: false } | { getPath: (request: Request) => string } {
  return routing === 'paths' ? { strict: false } : { getPath: (request) => routeOf(request, routing === 'query') }
}

/** An answered call, as `onCall` receives it. */
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

const ROUTES = [addPostRoutes, addWriteRoutes, addGroupCourseRoutes, addProgressRoutes, addPriceTypeRoutes, addQuestionRoutes]

type App = Hono<{ Variables: Variables }>

function reportCalls(app: App, onCall: (call: LmsCall) => void): void {
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

/** The LMS as an HTTP application. Every route exists below its namespace, and below `/wp-json`. Records have pages at their `link`. */
export function createApp(lms: Lms, workers: Workers, onCall?: (call: LmsCall) => void): App {
  const { switches } = lms
  const routes: App = new Hono({ strict: false })
  for (const add of ROUTES) add(routes, lms)
  if (switches.enrolments) addEnrolmentRoutes(routes, lms)
  if (switches.courseSteps) addCourseStepRoutes(routes, lms)
  if (switches.questionList) addQuestionListRoutes(routes, lms)
  if (switches.siteRoutes) {
    addWordpressRoutes(routes, lms)
    addSiteRoutes(routes, lms)
  }

  const app: App = new Hono(pathOptions(switches.routing))
  if (onCall) reportCalls(app, onCall)
  const faults = faultMiddleware(switches, workers)
  if (faults) app.use(faults)
  const publishDue = scheduler(lms.store)
  app.use((call, next) => {
    if (lms.store.isClosed) return Promise.resolve(call.body(null, 503))
    publishDue()
    return next()
  })
  app.use(pages(lms))
  if (switches.siteRoutes) addPictureRoutes(app, lms)
  const viewerOf = switches.wrongPasswordAnonymous ? authenticateOrAnonymous : authenticate
  app.use((call, next) => {
    call.set('viewer', viewerOf(lms.store, call.req.header('authorization')))
    call.set('query', readQuery(searchOf(call.req.url)))
    return next()
  })
  app.route('/', routes)
  app.route('/wp-json', routes)
  app.notFound((call) => sendError(call, noRoute()))
  app.onError((error, call) => {
    if (error instanceof RestError) return sendError(call, error)
    const failure = storageError(error)
    if (failure) {
      console.error(`The LMS answered ${call.req.method} ${call.req.path} with ${failure.status}: ${error.message}`)
      return sendError(call, failure)
    }
    console.error(error)
    return sendError(call, new RestError(500, 'internal_server_error', 'There has been a critical error on this site.'))
  })
  return app
}
