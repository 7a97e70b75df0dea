import { assemble, createShared, type Gateway, type ProgramOptions } from './assembly.js'
import type { GivenOptions } from './options/given.js'
import { OptionsError, readProgram } from './options/program.js'
import type { Tuning } from './tuning.js'

/** Options of a gateway: the options of a settings file, and options for programs only. */
export interface GatewayOptions extends GivenOptions, ProgramOptions {}

/** The names of the options for programs only. */
export const PROGRAM_ONLY = ['resources', 'log', 'on', 'production'] as const

/** Creates a GraphQL gateway in front of a site. Throws a `TypeError` that names all options that are wrong or contradict each other. */
export const createGateway = (options: GatewayOptions): Gateway => createTuned(options)

/** The same with what only tests set. */
export function createTuned(options: GatewayOptions, tuning: Tuning = {}): Gateway {
  try {
    const read = readProgram(options, { others: PROGRAM_ONLY, isServer: false })
    const { fetch, handle, metrics, close } = assemble(read, createShared(read.options, options, tuning))
    return { fetch, handle, metrics, close }
  } catch (error) {
    throw errorOf('createGateway', error)
  }
}

/** The error of a function of programs: wrong options are reported as those of the function. */
export const errorOf = (name: string, error: unknown): unknown =>
  error instanceof OptionsError ? new TypeError(`${name}: ${error.message}`) : error
