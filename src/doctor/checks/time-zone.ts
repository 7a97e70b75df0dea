import { stepList } from '../../graph/course-progress/routes.js'
import { isObject } from '../../maps.js'
import { isTimeZone } from '../../options/site.js'
import { decimal } from '../../upstream/codec/kinds.js'
import { isLacking } from '../../upstream/routes.js'
import { check } from '../check.js'
import type { Finding } from '../finding.js'
import { progressKey } from '../sampling.js'
import { existsBy, type Survey } from '../survey.js'

interface Evidence {
  /** Whether the site has the route of completed steps, if its answer shows it. */
  readonly steps: boolean | undefined
}

/** The time zone in the index of the site: its name, or its offset when the site has no name. Null when it is not known. */
function timeZoneIn(index: unknown): string | null {
  if (!isObject(index)) return null
  const { timezone_string: name, gmt_offset: offset } = index
  if (typeof name === 'string' && name !== '') return isTimeZone(name) ? name : null
  const hours = decimal(offset)
  if (typeof hours !== 'number') return null
  const minutes = Math.round(Math.abs(hours) * 60)
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  const written = `${hours < 0 ? '-' : '+'}${digits.join(':')}`
  return isTimeZone(written) ? written : null
}

async function probe(survey: Survey): Promise<Evidence> {
  const timeZone = timeZoneIn(survey.index)
  if (timeZone !== null) survey.learn({ timeZone })
  // With the entry, the client would not call what the settings lack.
  const { optional: _, ...route } = stepList
  const outcome = await survey.ask('completed steps', route, (client, call) => client.list(route, progressKey(survey), {}, call))
  const steps = existsBy(outcome)
  if (steps !== undefined) survey.learnRoute('users/course-progress/steps', steps)
  return { steps }
}

function judge(survey: Survey, { steps }: Evidence): Finding[] {
  const { timeZone } = survey.site
  const zone = { id: 'access.time-zone', title: 'Time zone' }
  const completed = { id: 'access.steps', title: 'Completed steps' }
  const meaning = !isLacking(survey.site, stepList)
    ? 'They show which lessons of a course a learner has completed.'
    : 'Which lessons of a course a learner has completed is not always known to `access`.'
  return [
    timeZone === null
      ? {
          ...zone,
          state: 'note',
          found: 'not known',
          meaning: 'The exact time of dates without a zone is not known to `access`. Set `--time-zone NAME`.',
        }
      : { ...zone, state: 'ok', found: timeZone, meaning: 'Dates without a zone are dates in it.' },
    steps === undefined
      ? { ...completed, state: 'note', found: 'not known', meaning: `${meaning} This is the setting of ${survey.source}.` }
      : { ...completed, state: steps ? 'ok' : 'note', found: steps ? 'the site lists them' : 'the site does not list them', meaning },
  ]
}

/** Checks what the rules of access need beside records: the time zone of the site, and the completed steps of courses. */
export const timeZone = check<Evidence>({ title: 'Checking what access depends on', probe, judge })
