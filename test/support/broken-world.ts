import type { Resource } from '../../src/kit.js'
import { BEHIND_PROXY } from './served.js'
import { World } from './world.js'

/** A fault that the gateway has reported. */
interface Told {
  readonly fault: unknown
  readonly requestId: string | undefined
}

/** Starts a world whose graph has a resource that fails, and collects the faults that the gateway reports. */
export async function startBroken(resource: Resource): Promise<{ readonly world: World; readonly told: Told[] }> {
  const told: Told[] = []
  const fault = (fault: unknown, requestId: string | undefined): void => void told.push({ fault, requestId })
  return {
    world: await World.start({ ...BEHIND_PROXY, resources: [resource], observe: { metrics: true }, on: { fault } }, { profile: 'lms' }),
    told,
  }
}
