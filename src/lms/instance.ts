import { createApp, type LmsCall } from './app.js'
import { Workers } from './faults/middleware.js'
import { type Profile, type Switches, switchesOf } from './profile/switches.js'
import { resourcesOf } from './resources.js'
import { Rights } from './rights.js'
import type { Store } from './store.js'

/** The profile of an LMS, and the switches that differ from it. */
export interface Setup {
  readonly profile: Profile
  readonly overrides: Partial<Switches>
}

/** The LMS at one address. Setting the switches rebuilds its application, so that requests do not check switches that are off. */
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

  /** The current value of every switch. */
  get switches(): Switches {
    return switchesOf(this.#setup.profile, this.#setup.overrides)
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
