import { Course } from '../course/type.js'
import { itemsMutation } from '../kit/mutations.js'
import { User } from '../user/type.js'
import { resultColumns } from './columns.js'
import { memberList } from './routes.js'

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
    result: {
      name: 'EnrolmentResult',
      description: 'Result of enrolling one user in a course, or of ending the enrolment.',
      columns: resultColumns,
      item: 'The user. No REST call for the id alone; else one for each 100 users.',
    },
    wire: ['user_ids', 'user_id'],
    most: 1_000,
    atOnce: 50,
    // A course that is open to everybody.
    refusal: 406,
  })
