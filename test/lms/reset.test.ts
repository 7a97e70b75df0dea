import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { type LmsOptions, type RunningLms, startLms, startLmsThread } from '../../src/lms/index.js'
import { authorizationOf } from '../support/world.js'

const running: RunningLms[] = []
const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-reset-'))
afterAll(async () => {
  await Promise.all(running.map((lms) => lms.close()))
  rmSync(folder, { recursive: true })
})

const headers = { 'content-type': 'application/json', authorization: authorizationOf('admin') }
const read = async (lms: RunningLms, path: string): Promise<any> => (await fetch(`${lms.url}/lms/${path}`, { headers })).json()
const write = (lms: RunningLms, method: string, path: string, body: object): Promise<Response> =>
  fetch(`${lms.url}/lms/${path}`, { method, headers, body: JSON.stringify(body) })
const titlesOf = async (lms: RunningLms, search: string): Promise<string[]> =>
  (await read(lms, `v1/sfwd-courses?per_page=100&search=${search}`)).map((course: any) => course.title.rendered)

describe.each([
  ['startLms', startLms],
  ['startLmsThread', startLmsThread],
])('%s', (_, begin) => {
  async function start(options: LmsOptions = {}): Promise<RunningLms> {
    const lms = await begin(options)
    running.push(lms)
    return lms
  }

  // Filling the store again takes seconds at other scales, and is the same in a thread.
  it.each(begin === startLms ? [[1], [2]] : [[1]])('goes back to the data of the start, at scale %i', async (scale) => {
    const lms = await start({ scale })
    const [before, found] = [await read(lms, 'v1/sfwd-courses/10001'), await titlesOf(lms, 'algebra')]
    expect(found.length).toBeGreaterThan(3)
    expect((await write(lms, 'POST', 'v1/sfwd-courses/10001', { title: 'Unmistakable' })).status).toBe(200)
    expect((await write(lms, 'POST', 'v1/sfwd-courses', { title: 'Algebra unmistakable', status: 'publish' })).status).toBe(201)
    expect(await titlesOf(lms, 'unmistakable')).toHaveLength(2)
    const address = lms.url

    await lms.reset()
    expect(lms.url).toBe(address)
    expect(await read(lms, 'v1/sfwd-courses/10001')).toEqual(before)
    expect(await titlesOf(lms, 'unmistakable')).toEqual([])
    expect(await titlesOf(lms, 'algebra')).toEqual(found)

    // It can be written and searched as before.
    expect((await write(lms, 'POST', 'v1/sfwd-courses/10001', { title: 'Unmistakable' })).status).toBe(200)
    expect(await titlesOf(lms, 'unmistakable')).toEqual(['Unmistakable'])
  })

  it('sets switches, and goes back to those of the start', async () => {
    const lms = await start({ switches: { bom: { next: 1 } } })
    const isMarked = async (): Promise<boolean> => {
      const bytes = new Uint8Array(await (await fetch(`${lms.url}/lms/v2/price-types`)).arrayBuffer())
      return bytes[0] === 0xef
    }
    expect([await isMarked(), await isMarked()]).toEqual([true, false])
    await lms.set({ fatalJson: 'route:GET */price-types*' })
    expect((await fetch(`${lms.url}/lms/v2/price-types`)).status).toBe(500)
    await lms.set({ fatalJson: false })
    expect((await fetch(`${lms.url}/lms/v2/price-types`)).status).toBe(200)
    await lms.set({ maintenance: true })
    await lms.reset()
    // The faults of the start are counted anew.
    expect([await isMarked(), await isMarked()]).toEqual([true, false])
  })

  it('refuses switches that do not exist, and sets none of the others', async () => {
    const lms = await start()
    await expect(lms.set({ bomb: true, workers: 'many', maintenance: true } as never)).rejects.toThrow(
      /^There is no switch `bomb`\. Did you mean bom\? The switch `workers` is `many`; it must be /,
    )
    expect((await fetch(`${lms.url}/lms/v2/price-types`)).status).toBe(200)
  })

  it('does not reset a data file', async () => {
    const lms = await start({ data: join(folder, `${begin.name}.sqlite`) })
    await write(lms, 'POST', 'v1/sfwd-courses/10001', { title: 'Kept' })
    await expect(lms.reset()).rejects.toThrow('Only data in memory can be reset. Start the LMS without a data file.')
    expect((await read(lms, 'v1/sfwd-courses/10001')).title.rendered).toBe('Kept')
  })

  it('is closed without a message while a request that nobody waits for is delayed', async () => {
    const lms = await start({ switches: { latency: 'median:400+p95:401' } })
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const leaving = fetch(`${lms.url}/lms/v1/groups`, { signal: AbortSignal.timeout(100) })
    await expect(leaving).rejects.toThrow('timeout')
    await lms.close()
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(error.mock.calls).toEqual([])
    error.mockRestore()
  })

  it('refuses both after it was closed', async () => {
    const lms = await start()
    await lms.close()
    await expect(lms.reset()).rejects.toThrow('The LMS is closed.')
    await expect(lms.set({ bom: true })).rejects.toThrow('The LMS is closed.')
  })

  it('is reset at the control route', async () => {
    const lms = await start({ control: true })
    const reset = async (init: RequestInit): Promise<[number, any]> => {
      const response = await fetch(`${lms.url}/-/reset`, init)
      return [response.status, await response.json()]
    }
    await write(lms, 'POST', 'v1/sfwd-courses/10001', { title: 'Unmistakable' })
    expect(await reset({ method: 'GET' })).toEqual([405, { complaints: ['The method must be POST.'] }])
    expect(await reset({ method: 'POST' })).toEqual([415, { complaints: [expect.stringContaining('Content-Type')] }])
    expect(await titlesOf(lms, 'unmistakable')).toHaveLength(1)
    expect(await reset({ method: 'POST', headers })).toEqual([200, { profile: 'lms', switches: expect.any(Object) }])
    expect(await titlesOf(lms, 'unmistakable')).toEqual([])

    const kept = await start({ control: true, data: join(folder, `${begin.name}-2.sqlite`) })
    expect((await fetch(`${kept.url}/-/reset`, { method: 'POST', headers })).status).toBe(409)
    const closed = await start()
    expect((await fetch(`${closed.url}/-/reset`, { method: 'POST', headers })).status).toBe(404)
  })
})
