import { createApp, type LmsCall } from './app.js'
import { Workers } from './faults/workers.js'
import { type Profile, type Switches, switchesOf } from './profile/switches.js'
import { resourcesOf } from './resources.js'
import { Rights } from './rights.js'
import type { Store } from './store.js'

/** Which profile an LMS has, and which of its switches are set otherwise. */
export interface Setup {
  readonly profile: Profile
  readonly others: Partial<Switches>
}

/** The LMS at one address. Its application is made anew whenever switches are set, so that none is looked at in vain. */
export class Instance {
  readonly #workers = new Workers()
  #setup: Setup
  #app: ReturnType<typeof createApp>

  constructor(
    readonly store: Store,
    readonly site: string,
    setup: Setup,
    readonly onCall?: ((call: LmsCall) => void) | undefined,
  ) {
    this.#setup = setup
    this.#app = this.#build()
  }

  get setup(): Setup {
    return this.#setup
  }

  set setup(setup: Setup) {
    this.#setup = setup
    this.#app = this.#build()
  }

  /** All switches as they are. */
  get switches(): Switches {
    return switchesOf(this.#setup.profile, this.#setup.others)
  }

  answer(request: Request, env?: object): Response | Promise<Response> {
    return this.#app.fetch(request, env)
  }

  #build(): ReturnType<typeof createApp> {
    const { store, site, switches } = this
    this.#workers.limit = switches.workers
    const lms = { store, site, switches, resources: resourcesOf(switches), rights: new Rights(store, switches) }
    return createApp(lms, this.#workers, this.onCall)
  }
}
