import type { Config } from '../../settings/config.js'
import type { Output } from '../log/output.js'
import { importBuilt } from './built.js'

/** Starts the log of a process that serves, as the settings say. */
export async function startOutput({ logLevel: level, logFormat, workers }: Config, production: boolean): Promise<Output> {
  const { createOutput } = await importBuilt('output', () => import('../log/output.js'))
  const format = logFormat ?? (production ? 'json' : 'pretty')
  return createOutput({ level, format, colors: process.stdout.isTTY === true, isShared: workers !== 1 })
}
