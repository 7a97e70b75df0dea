import { parse } from 'yaml'
import { configOf, configText } from '../../src/doctor/config.js'
import { type Examination, examine } from '../../src/doctor/examine.js'
import type { Finding } from '../../src/doctor/finding.js'
import type { GatewayOptions } from '../../src/index.js'
import { DEMO_USERS } from '../../src/lms/index.js'
import type { Profile } from '../../src/lms/profile/switches.js'
import { routesIn } from '../../src/options/lms.js'
import { readOptions } from '../../src/options/read.js'
import type { Quirks } from '../../src/options/site.js'
import type { Options } from '../../src/options/table.js'
import type { Login } from '../support/world.js'

/** The settings that the doctor writes for the embedded LMS with an index, because no preset has them. */
export const OF_LEARNDASH = { timeZone: 'Europe/Berlin' }

/** The routes beyond the specification that the embedded LMS has in a profile. */
export const routesOf = (profile: Profile): Quirks['routes'] =>
  routesIn({ profile, switches: [], control: false, inProduction: false, data: undefined, scale: undefined })

/** Switches of an LMS without what the embedded LMS adds to the specification. */
export const WITHOUT_ADDITIONS = {
  ...{ siteRoutes: false, progressSteps: false, enrolments: false },
  ...{ courseSteps: false, topics: false, questionList: false },
} as const

/** An id of a question of the sample school. No list has it. */
export const QUESTION = 500_001

/** Examines a site as a demo user, or as an anonymous caller. */
export function examineAs(upstream: string, login?: Login, hints: { user?: number; question?: number } = {}): Promise<Examination> {
  const account = DEMO_USERS.find((user) => user.login === login)
  return examine({
    upstream,
    account: account && { user: account.login, password: account.password },
    hints,
    timeout: 5_000,
    maxResponseBytes: 20_000_000,
  })
}

/** Findings that need attention: all except those that are fine or only informative. */
export const alarms = ({ findings }: Examination): Finding[] => findings.filter(({ state }) => state === 'warning' || state === 'breaks')

export const findingOf = ({ findings }: Examination, id: string): Finding | undefined => findings.find((finding) => finding.id === id)

/** The written settings of a site, without its concurrency, which depends on the load of the machine. */
export const settingsOf = (examination: Examination): Readonly<Record<string, unknown>> => configOf(examination).site ?? {}

/** The options of `serve` with the written file. */
export function optionsOf(examination: Examination): Options {
  const result = readOptions(['serve', '--config', 'lms.yaml'], {}, () => configText(examination))
  if (result.kind !== 'options') throw new Error(JSON.stringify(result))
  return result.options
}

/** The written file as a program reads it. */
export const parsedConfig = (examination: Examination): GatewayOptions => parse(configText(examination))
