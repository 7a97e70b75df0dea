import { WrongSubgraphOption } from '../federation/options.js'
import type { Given } from './rules.js'

/** Thrown when settings are found to be wrong after they were read. Each complaint is a line for operators. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings'

  constructor(readonly complaints: readonly string[]) {
    super(complaints.join('\n'))
  }
}

/** Runs `make`. A wrong option of the subgraph becomes a complaint about its setting. */
export function withSettingNames<T>(given: Given, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof WrongSubgraphOption)) throw error
    const { option, found } = error
    const name = option === 'httpMaxAge' ? option : `subgraph${option.charAt(0).toUpperCase()}${option.slice(1)}`
    throw new WrongSettings([`${given(name)} ${found}`])
  }
}
