import { isDeepStrictEqual } from 'node:util'

/**
 * Runs the first operations of each job on floor and gateway, one at a time. Answers a result per job with the mean calls and bytes
 * of both servers, and a line for each operation whose data differs.
 */
export async function check(servers, lms, jobs, operations) {
  const results = []
  const problems = []
  for (const job of jobs) {
    const totals = { floor: { calls: 0, bytes: 0 }, gateway: { calls: 0, bytes: 0 } }
    for (let i = 0; i < operations; i++) {
      const data = {}
      for (const name in servers) {
        const { result, calls, bytes } = await lms.counted(() => servers[name].ask(job, i))
        data[name] = JSON.parse(result).data
        totals[name].calls += calls / operations
        totals[name].bytes += bytes / operations
      }
      if (!isDeepStrictEqual(data.floor, data.gateway)) {
        problems.push(`operation ${i} of ${job.name}: data differs at ${firstDifference('data', data.floor, data.gateway)}`)
      }
    }
    results.push({ job, ...totals })
  }
  return { results, problems }
}

function firstDifference(path, floor, gateway) {
  if (floor === null || gateway === null || typeof floor !== 'object' || typeof gateway !== 'object') {
    return `${path}: the floor says ${JSON.stringify(floor)}, the gateway ${JSON.stringify(gateway)}`
  }
  const names = Object.keys({ ...floor, ...gateway })
  const name = names.find((name) => !isDeepStrictEqual(floor[name], gateway[name]))
  return firstDifference(`${path}.${name}`, floor[name], gateway[name])
}
