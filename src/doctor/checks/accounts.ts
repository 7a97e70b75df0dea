import { courseList } from '../../graph/course/routes.js'
import { progressList } from '../../graph/course-progress/routes.js'
import { basic, Credentials } from '../../upstream/credentials.js'
import { check } from '../check.js'
import { listing } from '../finding.js'
import { type Outcome, resultOf } from '../prober.js'
import { progressKey } from '../sampling.js'

/** Checks whether the account of visitors and learners may read what they need, and reports the accounts and roles of the gateway. */
export const accounts = check<readonly Outcome<unknown>[]>({
  title: 'Checking the accounts',

  /** Every other check is made with the account of editors and administrators. */
  async probe(survey) {
    const { reader } = survey.accounts
    if (!reader) return []
    const caller = { credentials: new Credentials({ authorization: basic(reader.user, reader.password) }), id: 'reader' }
    return Promise.all(
      [courseList, progressList].map((route) =>
        survey.prober.ask('what visitors and learners need', survey.site, (client, call) =>
          client.list(route, progressKey(survey), { per_page: 1 }, { ...call, caller }),
        ),
      ),
    )
  },

  judge({ accounts: { account, reader, roles } }, outcomes) {
    if (!account) return []
    const isRead = outcomes.every((outcome) => resultOf(outcome) !== undefined)
    const rights =
      'On a stock site it needs the rights of an administrator, because nobody else may read courses and the progress of users.'
    const meaning = isRead
      ? `\`${reader?.user}\` may read courses and the progress of users.`
      : `\`${reader?.user}\` was refused courses or the progress of users. ${rights}`
    const found = reader
      ? `\`${reader.user}\` for visitors and learners, \`${account.user}\` for editors and administrators`
      : `\`${account.user}\` for all callers`
    const others = 'Other tokens are learners, and other API keys administrators.'
    return [
      { id: 'accounts', title: 'Accounts', state: isRead ? 'ok' : 'warning', found, meaning: reader ? meaning : rights },
      ...(roles ? [{ id: 'accounts.roles', title: 'Roles of callers', state: 'ok', found: listing(roles), meaning: others } as const] : []),
    ]
  },
})
