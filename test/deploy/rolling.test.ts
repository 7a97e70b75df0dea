import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../hosts/host.js'
import { Command } from '../support/command.js'
import { sleep, until } from '../support/hosted.js'
import { SOAK } from '../support/world.js'
import { Callers } from './callers.js'
import { Egress, Front, GATEWAYS, lacks } from './haproxy.js'
import { SlowSite } from './slow-site.js'

// Replicas between `front.cfg` and `egress.cfg` are replaced one after another, while clients read and write. This is what docs/replicas.md says.

const REPLICAS = 3
const CALLERS = SOAK ? 200 : 30
const ROUNDS = SOAK ? 5 : 1
const noHaproxy = lacks('haproxy')

describe.skipIf(noHaproxy !== '')(`replicas behind HAProxy${noHaproxy}`, () => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  it('are replaced one after another without a lost request, and without a lost or doubled write', { timeout: 300_000 }, async () => {
    const site = await SlowSite.start()
    closing.push(() => site.close())
    const egress = await Egress.start(site.url)
    closing.push(() => egress.close())
    const ports = await Promise.all(Array.from({ length: REPLICAS }, freePort))
    const gateways: Command[] = []
    closing.push(() => Promise.all(gateways.map((gateway) => gateway.stop('SIGKILL'))))
    const start = async (index: number): Promise<void> => {
      const flags = ['--port', `${ports[index]}`, '--upstream', egress.url, '--max-in-flight', '4', '--trusted-proxies', '127.0.0.1']
      gateways[index] = new Command(flags, { NODE_ENV: 'production' })
      await gateways[index].address()
    }
    await Promise.all(ports.map((_, index) => start(index)))
    const addresses = Object.fromEntries(ports.map((port, index) => [`LMS_GATEWAY_${index + 1}`, `127.0.0.1:${port}`]))
    const front = await Front.start(GATEWAYS, addresses)
    closing.push(() => front.close())

    const callers = new Callers([front.url], CALLERS, { writes: 0.3 })
    const answered = async (more: number): Promise<void> => {
      const before = callers.answered.length
      await until(() => callers.answered.length >= before + more)
    }
    await answered(2 * CALLERS)
    for (let round = 0; round < ROUNDS; round++)
      for (let index = 0; index < REPLICAS; index++) {
        const from = front.log.length
        const server = `gateway-${index + 1}`
        await front.command(`set server gateways/${server} state drain`)
        expect((await gateways[index]?.stop())?.code).toBe(0)
        await until(() => front.says(server, 'DOWN', from))
        await start(index)
        await until(() => front.says(server, 'UP', from))
        await front.command(`set server gateways/${server} state ready`)
        await answered(CALLERS)
      }
    await callers.stop()
    await sleep(100)
    const { writes, most } = await site.state()
    console.log(
      `${callers.answered.length} operations answered, ${callers.written.length} of them writes, while ${ROUNDS * REPLICAS} replicas were replaced`,
    )
    expect([...callers.failures]).toEqual([])
    expect(Object.keys(writes).toSorted()).toEqual(callers.written.toSorted())
    expect(Object.values(writes).filter((count) => count !== 1)).toEqual([])
    expect(callers.written.length).toBeGreaterThan(CALLERS)
    expect(most).toBe(4)
  })
})
