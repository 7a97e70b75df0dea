import { isObject, type LmsError } from '../../upstream/errors.js'
import { defineSite } from '../../upstream/site/site.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, got, type Outcome } from '../prober.js'
import { RESOURCES } from '../resources.js'
import type { Survey } from '../survey.js'

/** Asks WordPress who calls; other sites have no such route, and their answers to everything else must tell. */
async function probe(survey: Survey): Promise<void> {
  if (survey.anonymous) return
  const wordPress = defineSite(survey.site.url, { namespaces: { v1: 'wp/v2', v2: 'wp/v2' } })
  const query = { context: 'edit', _fields: ['id', 'roles', 'capabilities'] }
  const outcome = await survey.prober.ask('who calls', wordPress, (client, session) =>
    client.get({ path: 'v2/users/me' }, {}, query, session),
  )
  const { id, roles, capabilities } = got(outcome) ?? {}
  if (typeof id !== 'number') return
  survey.viewer = id
  if (Array.isArray(roles)) survey.roles = roles.map(String)
  if (isObject(capabilities)) survey.mayEdit = capabilities.manage_options === true || capabilities.edit_others_posts === true
}

const REFUSED = ['incorrect_password', 'invalid_username', 'invalid_email', 'application_passwords_disabled', 'rest_not_logged_in']

const refusals = (outcomes: readonly Outcome<unknown>[]): LmsError[] => outcomes.flatMap((outcome) => errorOf(outcome) ?? [])

/** What the credential came to, by what is known for sure first. */
function standing(survey: Survey): Pick<Finding, 'state' | 'found' | 'meaning'> {
  const outcomes = [...survey.outcomes.values()].flat()
  const errors = refusals(outcomes)
  const unauthorized = errors.filter(({ upstream }) => upstream?.status === 401)
  if (outcomes.length > 0 && unauthorized.length === outcomes.length) {
    const found = survey.anonymous ? 'none is given, and the site shows nothing without' : `refused: ${codesOf(unauthorized)}`
    return {
      state: 'breaks',
      found,
      meaning: 'Every query fails with UNAUTHENTICATED. Give an account by LMS_USER and LMS_PASSWORD, or check it.',
    }
  }
  if (survey.anonymous)
    return { state: 'note', found: 'none is given', meaning: 'What follows is what everybody sees. LMS_USER and LMS_PASSWORD show more.' }
  if (survey.viewer !== undefined || survey.mayEdit === true) {
    const who = survey.viewer === undefined ? '' : ` as user ${survey.viewer}`
    const rights = survey.mayEdit ? 'may edit' : 'may not edit'
    return { state: 'ok', found: `accepted${who}, who ${rights}`, meaning: survey.mayEdit ? 'Fields for editors are there.' : NO_EDITOR }
  }
  if (unauthorized.some(({ upstream }) => REFUSED.includes(upstream?.code ?? '')) || unauthorized.length > 0)
    return {
      state: 'breaks',
      found: `ignored or refused: ${codesOf(unauthorized)}`,
      meaning: 'Callers are taken for anonymous. Check the account, and that the web server passes `Authorization` on.',
    }
  return { state: 'ok', found: 'accepted, without the right to edit', meaning: NO_EDITOR }
}

const NO_EDITOR = 'Fields for editors are null with a FORBIDDEN error, and what is not published is not there.'

const codesOf = (errors: readonly LmsError[]): string =>
  listing([...new Set(errors.map(({ upstream }) => upstream?.code ?? `status ${upstream?.status}`))], 3)

/** Which kinds of record the caller gets lists of, and which not. */
function sight(survey: Survey): Finding[] {
  const lists = RESOURCES.flatMap(({ plural, list }) => (list ? [{ plural, outcomes: survey.outcomes.get(list.path) ?? [] }] : []))
  const seen = lists.filter(({ outcomes }) => outcomes.some((outcome) => got(outcome) !== undefined)).map(({ plural }) => plural)
  const hidden = lists
    .filter(({ outcomes }) => outcomes.length > 0)
    .map(({ plural }) => plural)
    .filter((plural) => !seen.includes(plural))
  if (lists.every(({ outcomes }) => outcomes.length === 0)) return []
  const found = `${seen.length > 0 ? listing(seen) : 'nothing'}${hidden.length > 0 ? `; not ${listing(hidden)}` : ''}`
  const meaning =
    hidden.length > 0
      ? 'What the caller may not see is null with a coded error; the rest of a query is answered.'
      : 'All lists can be queried.'
  return [{ id: 'credential.sight', title: 'What it may see', state: hidden.length > 0 ? 'note' : 'ok', found, meaning }]
}

/** Whether the site takes the credential, and what it shows for it. */
export const credential = check<void>({
  title: 'Asking who calls',
  probe,
  judge: (survey) => [{ id: 'credential', title: 'Credential', ...standing(survey) }, ...sight(survey)],
})
