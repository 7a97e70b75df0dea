import { isDeepStrictEqual } from 'node:util'

/**
 * Runs the first operations of each job on all servers, one at a time. Answers a result per job with the mean calls and bytes
 * of each server, and a line for each operation whose data differs.
 */
export async function check(servers, lms, jobs, operations) {
  const results = []
  const problems = []
  for (const job of jobs) {
    const totals = Object.fromEntries(Object.keys(servers).map((name) => [name, { calls: 0, bytes: 0 }]))
    for (let i = 0; i < operations; i++) {
      const data = {}
      for (const name in servers) {
        const { result, calls, bytes } = await lms.counted(() => servers[name].ask(job, i))
        data[name] = JSON.parse(result).data
        totals[name].calls += calls / operations
        totals[name].bytes += bytes / operations
      }
      for (const [name, answered] of Object.entries(data)) {
        if (!isDeepStrictEqual(data.floor, answered)) {
          problems.push(`operation ${i} of ${job.name}: data of ${name} differs at ${firstDifference('data', data.floor, answered)}`)
        }
      }
    }
    results.push({ job, ...totals })
  }
  return { results, problems }
}

function firstDifference(path, floor, other) {
  if (floor === null || other === null || typeof floor !== 'object' || typeof other !== 'object') {
    return `${path}: the floor says ${JSON.stringify(floor)}, the other ${JSON.stringify(other)}`
  }
  const names = Object.keys({ ...floor, ...other })
  const name = names.find((name) => !isDeepStrictEqual(floor[name], other[name]))
  return firstDifference(`${path}.${name}`, floor[name], other[name])
}
