import { isObject } from '../../maps.js'
import { isRefusal, type LmsError } from '../../upstream/errors.js'
import { check } from '../check.js'
import { type Finding, LIMITED, listing } from '../finding.js'
import { errorOf, type Outcome, resultOf } from '../prober.js'
import { RESOURCES } from '../resources.js'
import { isMissingRoute, type Survey } from '../survey.js'

/** Reads the current user from WordPress. Other sites lack this route; their answers to other calls are used. */
async function probe(survey: Survey): Promise<void> {
  if (survey.anonymous) return
  const query = { context: 'edit', _fields: ['id', 'roles', 'capabilities'] }
  const outcome = await survey.prober.ask('the current user', survey.site, (client, call) =>
    client.get({ path: 'wp/v2/users/me' }, {}, query, call),
  )
  const { id, roles, capabilities } = resultOf(outcome) ?? {}
  const error = errorOf(outcome)
  if (error && isMissingRoute(error)) survey.learnRoute('users/me', false)
  if (typeof id !== 'number') return
  survey.learnRoute('users/me', true)
  survey.viewer = id
  if (Array.isArray(roles)) survey.roles = roles.map(String)
  if (isObject(capabilities)) survey.mayEdit = capabilities.manage_options === true || capabilities.edit_others_posts === true
}

const refusals = (outcomes: readonly Outcome<unknown>[]): LmsError[] => outcomes.flatMap((outcome) => errorOf(outcome) ?? [])

/** The finding about the credentials, from the most certain evidence. */
function credentialFinding(survey: Survey): Pick<Finding, 'state' | 'found' | 'meaning'> {
  const outcomes = [...survey.outcomes.values()].flat()
  const errors = refusals(outcomes)
  const unauthorized = errors.filter(({ upstream }) => upstream?.status === 401)
  if (outcomes.length > 0 && unauthorized.length === outcomes.length) {
    const found = survey.anonymous ? 'not set, and the site requires credentials' : `refused: ${codesOf(unauthorized)}`
    return {
      state: 'breaks',
      found,
      meaning: 'Every query fails with UNAUTHENTICATED. Set LMS_USER and LMS_PASSWORD, or check them.',
    }
  }
  if (survey.anonymous)
    return {
      state: 'note',
      found: 'not set',
      meaning: 'The findings are those of an anonymous caller. Set LMS_USER and LMS_PASSWORD to see more.',
    }
  if (survey.viewer !== undefined || survey.mayEdit === true) {
    const caller = survey.viewer === undefined ? '' : ` as user ${survey.viewer}`
    const rights = survey.mayEdit ? 'may edit' : 'may not edit'
    return { state: 'ok', found: `accepted${caller}, who ${rights}`, meaning: survey.mayEdit ? 'Fields for editors have data.' : NO_EDITOR }
  }
  if (unauthorized.length > 0)
    return {
      state: 'breaks',
      found: `ignored or refused: ${codesOf(unauthorized)}`,
      meaning: 'Callers are treated as anonymous. Check the account, and that the web server forwards `Authorization`.',
    }
  return { state: 'ok', found: 'accepted, without permission to edit', meaning: NO_EDITOR }
}

const NO_EDITOR = 'Fields for editors are null with a FORBIDDEN error, and unpublished records are not visible.'

const codesOf = (errors: readonly LmsError[]): string =>
  listing([...new Set(errors.map(({ upstream }) => upstream?.code ?? `status ${upstream?.status}`))], 3)

/** Reports the lists that the caller may and may not read. */
function listFindings(survey: Survey): Finding[] {
  const lists = RESOURCES.flatMap(({ plural, list }) => (list ? [{ plural, outcomes: survey.outcomes.get(list.path) ?? [] }] : []))
  const seen = lists.filter(({ outcomes }) => outcomes.some((outcome) => resultOf(outcome) !== undefined)).map(({ plural }) => plural)
  const hidden = lists
    .filter(({ outcomes }) => outcomes.length > 0)
    .map(({ plural }) => plural)
    .filter((plural) => !seen.includes(plural))
  if (lists.every(({ outcomes }) => outcomes.length === 0)) return []
  const found = `${seen.length > 0 ? listing(seen) : 'nothing'}${hidden.length > 0 ? `; not ${listing(hidden)}` : ''}`
  const meaning =
    hidden.length > 0
      ? 'Data that the caller may not see is null with a coded error; the rest of a query is answered.'
      : 'All lists can be queried.'
  return [{ id: 'credential.sight', title: 'Visible lists', state: hidden.length > 0 ? 'note' : 'ok', found, meaning }]
}

/** Reports the rights that the account lacks, so that parts of the site were not examined. */
function limitFindings({ anonymous, mayEdit, outcomes }: Survey): Finding[] {
  if (anonymous) return []
  const refused = RESOURCES.filter(({ list }) => {
    const ended = list ? (outcomes.get(list.path) ?? []) : []
    return ended.some((outcome) => isRefusal(errorOf(outcome))) && !ended.some((outcome) => resultOf(outcome) !== undefined)
  })
  const limits = [
    ...(refused.length > 0 ? [`may not read ${listing(refused.map(({ plural }) => plural))}`] : []),
    ...(mayEdit === false ? ['may not edit'] : []),
  ]
  if (limits.length === 0) return []
  const meaning = 'What the account may not see was not examined. Use the account of an administrator.'
  return [{ id: LIMITED, title: 'Rights of the account', state: 'warning', found: limits.join(', and '), meaning }]
}

/** Reports whether the site returns the current user. */
function viewerFinding({ anonymous, source, site, viewer }: Survey): Finding[] {
  const viewerRoute = site.routes.includes('users/me')
  if (anonymous) return []
  const base = { id: 'credential.viewer', title: 'Current user' }
  const meaning = viewerRoute
    ? '`viewer` is the user to whom the credentials of a caller belong.'
    : '`viewer` is null for callers with credentials of the site.'
  if (viewer !== undefined) return [{ ...base, state: 'ok', found: 'the site returns the current user', meaning }]
  if (!viewerRoute) return [{ ...base, state: 'note', found: 'the site does not return the current user', meaning }]
  return [{ ...base, state: 'note', found: 'not known', meaning: `${meaning} This is the setting of ${source}.` }]
}

/** Checks whether the site accepts the credentials, and which lists they can read. */
export const credential = check<void>({
  title: 'Checking credentials',
  probe,
  judge: (survey) => [
    { id: 'credential', title: 'Credentials', ...credentialFinding(survey) },
    ...viewerFinding(survey),
    ...listFindings(survey),
    ...limitFindings(survey),
  ],
})
