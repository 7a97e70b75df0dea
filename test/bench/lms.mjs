import { DEMO_USERS, startLmsThread } from '../../dist/lms.js'

const admin = DEMO_USERS.find(({ role }) => role === 'admin')

/** The `Authorization` header of the demo administrator. */
export const ADMIN = `Basic ${Buffer.from(`${admin.login}:${admin.password}`).toString('base64')}`

/** Marks the call after which all earlier ones have been counted. */
const MARK = '/lms/v2/price-types?mark='

/** The embedded LMS in a thread; `counted` tells the calls an action made. */
export async function startLms() {
  let count = { calls: 0, bytes: 0 }
  let marks = 0
  const waiting = new Map()
  const onCall = ({ url, bytes }) => {
    if (url.startsWith(MARK)) return waiting.get(url)?.()
    count.calls++
    count.bytes += bytes
  }
  const { url, close } = await startLmsThread({ onCall })

  /** Calls are told in their order, but some time after their answers. */
  const allTold = async () => {
    const path = `${MARK}${marks++}`
    const told = new Promise((resolve) => waiting.set(path, resolve))
    await (await fetch(url + path)).text()
    await told
    waiting.delete(path)
  }
  /** What `act` returns, with the calls and bytes of the LMS meanwhile. */
  const counted = async (act) => {
    await allTold()
    count = { calls: 0, bytes: 0 }
    const result = await act()
    await allTold()
    return { result, ...count }
  }
  return { url, counted, close }
}
