import { createApp, type LmsCall } from './app.js'
import { Workers } from './faults/middleware.js'
import { type GivenSwitches, type Profile, readSwitches, type Switches, switchesOf } from './profile/switches.js'
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
  readonly #atStart: Setup
  #setup: Setup
  #app: ReturnType<typeof createApp>

  constructor(
    readonly store: Store,
    readonly site: string,
    setup: Setup,
    readonly onCall?: ((call: LmsCall) => void) | undefined,
    /** Fills the store with the data of the start. Undefined for data in a file, which is not thrown away. */
    private readonly refill?: (() => void) | undefined,
  ) {
    this.#atStart = setup
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

  /** Sets some switches. Throws a `RangeError` that names all invalid ones. */
  set(given: GivenSwitches): void {
    const { value, complaints } = readSwitches(given)
    if (complaints.length) throw new RangeError(complaints.join(' '))
    this.setup = { ...this.#setup, overrides: { ...this.#setup.overrides, ...value } }
  }

  /** Goes back to the data and the switches of the start. Throws a `RangeError` for data in a file. */
  reset(): void {
    if (this.refill === undefined) throw new RangeError('Only data in memory can be reset. Start the LMS without a data file.')
    this.refill()
    // Cloned, because faults with `next` are counted by object.
    this.setup = structuredClone(this.#atStart)
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
