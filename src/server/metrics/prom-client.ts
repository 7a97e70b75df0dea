import { optionalPackage } from '../../optional-package.js'

/** Loads prom-client, which gateways without metrics do not need. Throws an `Error` for operators. */
export const promClient = (): typeof import('prom-client') =>
  optionalPackage('prom-client', 'The metrics need') as typeof import('prom-client')
