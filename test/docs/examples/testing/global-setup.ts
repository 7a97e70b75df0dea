import { startGateway } from 'lms-graphql'
import { startLms } from 'lms-graphql/lms'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    readonly lmsUrl: string
    readonly gatewayUrl: string
  }
}

/** Starts one school and one gateway for all test files. With `control`, tests set switches and reset the school over HTTP. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const lms = await startLms({ control: true })
  const gateway = await startGateway({ site: { url: lms.url }, http: { port: 0 }, protection: { retries: 0 } })
  project.provide('lmsUrl', lms.url)
  project.provide('gatewayUrl', gateway.url)
  return async () => {
    await gateway.close()
    await lms.close()
  }
}
