import type { ReadContext } from '../model/reads.js'
import type { Row } from '../upstream/client.js'
import { plainText, reference } from '../upstream/codec/kinds.js'
import { InvalidResponseError, LmsError } from '../upstream/errors.js'
import type { Route } from '../upstream/routes.js'
import type { Learned, Viewer, ViewerCache } from '../upstream/site/viewers.js'

/** The route of WordPress that returns the current user. */
export const VIEWER_ROUTE: Route = { path: 'wp/v2/users/me' }

/** WordPress has this parameter on all sites. */
const FIELDS = { _fields: ['id', 'name'] }

/** Stands for the id of a viewer who has not been learned yet, in estimates. No user has it. */
export const PENDING_VIEWER = 0

/** The columns of users that are known of the viewer. */
export const VIEWER_COLUMNS: readonly string[] = ['name']

/** Keeps what is known of the viewer in the record of the user. */
function note({ entities, records }: ReadContext, learned: Learned | undefined): void {
  const entity = entities.get('User')
  if (!entity || !learned || learned instanceof LmsError) return
  const known = Object.entries(learned).filter(([name]) => VIEWER_COLUMNS.includes(name))
  records.stateOf({ entity, key: learned.id }).know(Object.fromEntries(known))
}

/** Reads the current user from the site. Rejects with an `LmsError`. */
async function readViewer({ client, call }: Pick<ReadContext, 'client' | 'call'>): Promise<Viewer> {
  const row: Row = await client.get(VIEWER_ROUTE, {}, FIELDS, call)
  const id = reference(row.id ?? 0)
  if (typeof id !== 'number' || id < 1)
    throw new InvalidResponseError(`The answer to ${VIEWER_ROUTE.path} has no id of a user.`, { status: 200, code: null })
  const name = plainText(row.name ?? '')
  return { id, name: typeof name === 'string' && name !== '' ? name : null }
}

/** What an operation knows of its viewer. */
export class KnownViewer {
  private learned: Learned | undefined
  /** The read that learns it. */
  private learning: Promise<void> | undefined

  constructor(private readonly viewers: ViewerCache) {}

  /** The viewer, `null` when nobody can know it, the error that kept the gateway from learning it, or `undefined` before it was learned. */
  in(context: ReadContext): Learned | undefined {
    if (this.learned !== undefined) return this.learned
    const { call, site } = context
    const { viewer, credentials } = call.caller
    if (viewer !== undefined) this.learned = viewer === null ? null : { id: viewer, name: null }
    else {
      this.learned = site.wordpressRoutes.includes('users/me') && !credentials.anonymous ? this.viewers.of(credentials) : null
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
      this.learned = await readViewer(context)
      note(context, this.learned)
      this.viewers.keep(credentials, this.learned)
    } catch (error) {
      if (!(error instanceof LmsError)) {
        // An exception of the gateway itself: the next field that needs the viewer asks again.
        this.learning = undefined
        throw error
      }
      this.learned = this.viewers.refuse(credentials, error)
    }
  }
}
