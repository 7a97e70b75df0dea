import type { Reporter, TestModule } from 'vitest/node'

/** Results of the suites in front of one kind of site. */
class Tally {
  readonly states = { passed: 0, failed: 0, skipped: 0, pending: 0 }
  /** Tests with an expectation from the table of differences, by kind of difference. */
  readonly otherwise = new Map<string, number>()
  different = 0
  files = 0

  add(module: TestModule): void {
    this.files++
    for (const test of module.children.allTests()) {
      this.states[test.result().state]++
      const { otherwise = [] } = test.meta()
      for (const what of new Set(otherwise)) this.otherwise.set(what, (this.otherwise.get(what) ?? 0) + 1)
      if (otherwise.length > 0) this.different++
    }
  }

  get text(): string {
    const { passed, failed, skipped } = this.states
    const rest = [failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`].filter((part) => part !== false)
    const otherwise = [...this.otherwise].sort().map(([what, count]) => `${count} other ${what}`)
    const said = this.different > 0 ? `; ${this.different} expect what the table of differences says (${otherwise.join(', ')})` : ''
    return `${[`${passed} tests in ${this.files} files passed`, ...rest].join(', ')}${said}`
  }
}

/** Prints the results of the suites that run in front of every kind of site, by profile, and the tests that passed only the second time. */
export class ProfileReport implements Reporter {
  constructor(private readonly suites: readonly string[]) {}

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tallies = new Map<string, Tally>()
    for (const module of modules) {
      if (!this.suites.includes(module.relativeModuleId)) continue
      const tally = tallies.get(module.project.name) ?? new Tally()
      tallies.set(module.project.name, tally)
      tally.add(module)
    }
    for (const [profile, tally] of tallies) console.log(`profile ${profile}: ${tally.text}`)
    const flaky = modules.flatMap((module) => [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky))
    for (const { module, fullName } of flaky) console.log(`passed only the second time: ${module.relativeModuleId}: ${fullName}`)
  }
}
