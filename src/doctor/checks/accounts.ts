import { courseList } from '../../graph/course/routes.js'
import { progressList } from '../../graph/course-progress/routes.js'
import { basic, Credentials } from '../../upstream/credentials.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { type Outcome, resultOf } from '../prober.js'
import { progressKey } from '../sampling.js'

/** Checks whether the account of visitors and learners may read what they need, and reports the accounts and roles of the gateway. */
export const accounts = check<readonly Outcome<unknown>[]>({
  title: 'Checking the accounts',

  /** Every other check is made with the account of editors and administrators. */
  async probe(survey) {
    const {
      accounts: { reader },
      prober,
      site,
    } = survey
    if (!reader) return []
    const caller = { credentials: new Credentials({ authorization: basic(reader.user, reader.password) }), id: 'reader' }
    return Promise.all(
      [courseList, progressList].map((route) =>
        prober.ask('what visitors and learners need', site, (client, call) =>
          client.list(route, progressKey(survey), { per_page: 1 }, { ...call, caller }),
        ),
      ),
    )
  },

  judge({ accounts: { account, reader, roles } }, outcomes) {
    if (!account) return []
    const base = { id: 'accounts', title: 'Accounts' }
    const rights =
      'On a stock site it needs the rights of an administrator, because nobody else may read courses and the progress of users.'
    const findings: Finding[] = []
    if (!reader) findings.push({ ...base, state: 'ok', found: `\`${account.user}\` for all callers`, meaning: rights })
    else {
      const found = `\`${reader.user}\` for visitors and learners, \`${account.user}\` for editors and administrators`
      findings.push(
        outcomes.every((outcome) => resultOf(outcome) !== undefined)
          ? { ...base, state: 'ok', found, meaning: `\`${reader.user}\` may read courses and the progress of users.` }
          : { ...base, state: 'warning', found, meaning: `\`${reader.user}\` was refused courses or the progress of users. ${rights}` },
      )
    }
    if (roles) {
      const meaning = 'Other tokens are learners, and other API keys administrators.'
      findings.push({ id: 'accounts.roles', title: 'Roles of callers', state: 'ok', found: listing(roles), meaning })
    }
    return findings
  },
})
