import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Project } from '../support/project.js'

const project = new Project('test/docs/examples/testing')
afterAll(() => project.remove())

it('the example of tests with the embedded LMS passes in vitest', { timeout: 300_000 }, async () => {
  const { code, stderr } = await project.run('vitest', ['run', '--reporter=json', '--outputFile=report.json'])
  const report = JSON.parse(readFileSync(join(project.folder, 'report.json'), 'utf8'))
  const failures = report.testResults.flatMap(({ message, assertionResults }: any) => [
    ...(message ? [message] : []),
    ...assertionResults.flatMap(({ failureMessages }: any) => failureMessages),
  ])
  expect([failures, code], stderr).toEqual([[], 0])
  expect(report.testResults.map(({ name }: any) => basename(name)).sort()).toEqual(['own-school.spec.ts', 'shared-school.spec.ts'])
  expect(report.numPassedTests).toBe(9)
})
