import type { ReadContext } from '../model/reads.js'
import type { Row } from '../upstream/client.js'
import { plainText, reference, texts } from '../upstream/codec/kinds.js'
import { ForbiddenError, InvalidResponseError, LmsError, NotFoundError, RejectedError, UnauthenticatedError } from '../upstream/errors.js'
import type { ListRoute, Route } from '../upstream/routes.js'
import type { Site } from '../upstream/site/site.js'
import type { Learned, Viewer, ViewerCache } from '../upstream/site/viewers.js'

/** The route of WordPress that returns the current user. */
const VIEWER_ROUTE: Route = { path: 'wp/v2/users/me' }

/** WordPress refuses this with 401 to callers who are not signed in, and with 403 to others who may not edit, also where the list is public. */
const CHECKED_ROUTE: ListRoute = { path: 'v1/groups', window: 'offset', filters: {}, orders: {} }

/** WordPress has this parameter on all sites. */
const FIELDS = { _fields: ['id', 'name', 'roles'] }

/** Stands for the id of a viewer who has not been learned yet, in estimates. No user has it. */
export const PENDING_VIEWER = 0

/** The columns of users that are known of the viewer. */
export const VIEWER_COLUMNS: readonly string[] = ['name', 'roles']

/** Keeps what is known of the viewer in the record of the user. */
function note({ entities, records }: ReadContext, learned: Learned | undefined): void {
  const entity = entities.get('User')
  if (!entity || !learned || learned instanceof LmsError) return
  const { id, ...known } = learned
  records.stateOf({ entity, key: id }).know(known)
}

type Reading = Pick<ReadContext, 'client' | 'call'>

/** Asks the site for the current user. Sites send roles in the context `edit` only, and some refuse it. Rejects with an `LmsError`. */
async function readViewer({ client, call }: Reading): Promise<Viewer | null> {
  const read = (context: 'edit' | 'view'): Promise<Row> => client.get(VIEWER_ROUTE, {}, { context, ...FIELDS }, call)
  try {
    return viewerOf(await read('edit'))
  } catch (error) {
    // Some sites hide the route from callers who are not signed in.
    if (error instanceof NotFoundError) return checkCredentials({ client, call })
    if (error instanceof ForbiddenError || error instanceof RejectedError) return viewerOf(await read('view'))
    throw error
  }
}

/** Learns of a site that does not tell its current user whether it accepts the credentials. Rejects when it does not. */
async function checkCredentials({ client, call }: Reading): Promise<null> {
  try {
    await client.list(CHECKED_ROUTE, {}, { per_page: 1, context: 'edit', _fields: ['id'] }, call)
  } catch (error) {
    if (![ForbiddenError, NotFoundError, RejectedError].some((Class) => error instanceof Class)) throw error
  }
  return null
}

function viewerOf(row: Row): Viewer {
  const id = reference(row.id ?? 0)
  if (typeof id !== 'number' || id < 1)
    throw new InvalidResponseError(`The answer to ${VIEWER_ROUTE.path} has no id of a user.`, { status: 200, code: null })
  const name = plainText(row.name ?? '')
  const roles = texts(row.roles)
  return { id, name: typeof name === 'string' && name !== '' ? name : null, roles: Array.isArray(roles) ? roles : null }
}

/** What an operation knows of its viewer. */
export class KnownViewer {
  private learned: Learned | undefined
  /** The read that learns it. */
  private learning: Promise<void> | undefined

  constructor(private readonly viewers: ViewerCache) {}

  /** The viewer, `null` when nobody tells, the error that kept the gateway from learning it, or `undefined` before the site was asked. */
  in(context: ReadContext): Learned | undefined {
    if (this.learned !== undefined) return this.learned
    const { viewer, credentials } = context.call.caller
    if (viewer !== undefined) this.learned = viewer === null ? null : { id: viewer, name: null, roles: null }
    else {
      this.learned = credentials.anonymous ? null : this.viewers.of(credentials)
      note(context, this.learned)
    }
    return this.learned
  }

  /** Reads the viewer, once. */
  learn(context: ReadContext): Promise<void> {
    this.learning ??= this.read(context)
    return this.learning
  }

  private async read(context: ReadContext): Promise<void> {
    const { credentials } = context.call.caller
    try {
      this.learned = await (isTold(context.site) ? readViewer : checkCredentials)(context)
      note(context, this.learned)
      this.viewers.keep(credentials, this.learned)
    } catch (error) {
      if (!(error instanceof LmsError)) {
        // An exception of the gateway itself: the next field that needs the viewer asks again.
        this.learning = undefined
        throw error
      }
      // Some sites take wrong credentials for none, and say that only.
      const says = (text: string): string => `The site does not accept these credentials: ${text}`
      this.learned = error instanceof UnauthenticatedError ? new UnauthenticatedError(says(error.message), error.upstream) : error
      this.viewers.refuse(credentials, this.learned)
    }
  }
}

/** Whether a site tells who its current user is. */
export const isTold = ({ routes }: Site): boolean => routes.includes('users/me')

/** The route by which the viewer is learned from a site. */
export const viewerRouteOn = (site: Site): Route => (isTold(site) ? VIEWER_ROUTE : CHECKED_ROUTE)
