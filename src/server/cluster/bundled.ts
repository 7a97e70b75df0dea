import { existsSync } from 'node:fs'
import type { Config } from '../../settings/config.js'
import type { Output } from '../log/output.js'

/** Imports a part of the gateway: its bundle with all libraries when the build has made one, which loads in less than half the time. */
function importBundled<Part>(name: string, otherwise: () => Promise<Part>): Promise<Part> {
  const bundled = new URL(`../bundled/${name}.js`, import.meta.url)
  return existsSync(bundled) ? import(bundled.href) : otherwise()
}

export const importGateway = () => importBundled('start', () => import('../start.js'))

/** Starts the log of a process by its settings. */
export async function startOutput({ logLevel: level, logFormat, workers }: Config, production: boolean): Promise<Output> {
  const { createOutput } = await importBundled('output', () => import('../log/output.js'))
  const format = logFormat ?? (production ? 'json' : 'pretty')
  return createOutput({ level, format, colors: process.stdout.isTTY === true, isShared: workers !== 1 })
}
