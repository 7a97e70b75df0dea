import { Shape } from '../../upstream/codec/records.js'
import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { exposeColumns } from '../kit/expose.js'
import { itemsMutation } from '../kit/mutations.js'
import type { RecordOf } from '../kit/refs.js'
import { User } from '../user/type.js'
import { resultColumns } from './columns.js'
import { memberList } from './routes.js'

const EnrolmentResult = builder.objectRef<RecordOf<typeof resultColumns>>('EnrolmentResult').implement({
  description: 'Result of enrolling one user in a course, or of ending the enrolment.',
  fields: (t) => ({
    ...exposeColumns(t, resultColumns, ['userId']),
    user: t.lmsRelation(User, { key: 'userId', description: 'The user. No REST call for the id alone; else one for each 100 users.' }),
  }),
})

const shape = new Shape('EnrolmentResult', resultColumns)

for (const [name, method, does] of [
  ['enrolUsers', 'POST', 'Enrols users in a course'],
  ['unenrolUsers', 'DELETE', 'Ends the enrolment of users in a course'],
] as const)
  itemsMutation(name, {
    description: `${does}, and reports the result for each user. For administrators. One REST call for each 50 users, one after the other. When one fails, no further one is sent: the results say what became of each user.`,
    method,
    route: memberList,
    record: Course,
    items: User,
    fields: ['courseId', 'userIds', 'results'],
    result: EnrolmentResult,
    shape,
    wire: ['user_ids', 'user_id'],
    most: 1_000,
    atOnce: 50,
    // A course that is open to everybody.
    refusal: 406,
  })
