import { isObject } from '../../maps.js'
import type { Args } from '../../model/edge.js'
import type { Writing } from '../../prefetch/operation.js'
import type { Row } from '../../upstream/client.js'
import { Shape } from '../../upstream/codec/records.js'
import { LmsError, SuspendedError } from '../../upstream/errors.js'
import { idOf } from '../../upstream/routes.js'
import { wasPerhapsMade } from '../../upstream/transport/responses.js'
import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { exposeColumns } from '../kit/expose.js'
import { readFieldId } from '../kit/ids.js'
import { mutation, readIdsField, readInput, storeExisting, write } from '../kit/mutations.js'
import type { RecordOf } from '../kit/refs.js'
import { User } from '../user/type.js'
import { resultColumns } from './columns.js'
import { memberList, USERS_AT_ONCE } from './routes.js'

const EnrolmentResult = builder.objectRef<RecordOf<typeof resultColumns>>('EnrolmentResult').implement({
  description: 'Result of enrolling one user in a course, or of ending the enrolment.',
  fields: (t) => ({
    ...exposeColumns(t, resultColumns, ['userId']),
    user: t.lmsRelation(User, {
      key: 'userId',
      description: 'The user. No REST call for the id alone; else one for each 100 users.',
    }),
  }),
})

const resultShape = new Shape('EnrolmentResult', resultColumns)

const UNCONFIRMED: Row = { status: 'in_doubt', message: 'The site sent no result for this user.' }
const NOT_SENT: Row = { status: 'not_sent', message: 'It was not sent, because a call before failed.' }

const isInDoubt = (error: LmsError): boolean => wasPerhapsMade(error) && !(error instanceof SuspendedError)

/** The result for each user of a call that failed. */
function failure(error: LmsError): Row {
  const { message, code, upstream } = error
  return { status: isInDoubt(error) ? 'in_doubt' : upstream ? 'failed' : 'not_sent', code: upstream?.code ?? code, message }
}

/** The status of a write for a course that is open to everybody. */
const OPEN_COURSE = 406

/**
 * Writes for some users at a time, one call after the other, and returns a row for each user. After a call that failed, no further one is sent.
 * Rejects when the first call failed and has certainly changed nothing, unless the course is open.
 */
async function writeInBatches(writing: Writing, method: 'POST' | 'DELETE', course: number, users: readonly number[]): Promise<Row[]> {
  const rows: Row[] = []
  let hasFailed = false
  for (let start = 0; start < users.length; start += USERS_AT_ONCE) {
    const batch = users.slice(start, start + USERS_AT_ONCE)
    const add = (rowOf: (user: number) => Row): void => void rows.push(...batch.map(rowOf))
    if (hasFailed) {
      add(() => NOT_SENT)
      continue
    }
    try {
      const { body } = await write(
        writing,
        Course,
        method,
        memberList,
        { id: course },
        { body: { user_ids: batch } },
        { user_ids: 'userIds' },
      )
      const sent = new Map((Array.isArray(body) ? body.filter(isObject) : []).map((row) => [idOf({ id: row.user_id }), row]))
      add((user) => sent.get(user) ?? UNCONFIRMED)
    } catch (error) {
      const isResult = error instanceof LmsError && (start > 0 || isInDoubt(error) || error.upstream?.status === OPEN_COURSE)
      if (!isResult) throw error
      hasFailed = true
      add(() => failure(error))
    }
  }
  return rows
}

const MAX_USERS = 1_000

const usersIn = ({ input }: Args): number => (isObject(input) && Array.isArray(input.userIds) ? input.userIds.length : 0)

const COST = `One REST call for each ${USERS_AT_ONCE} users, one after the other. When one fails, no further one is sent: the results say what became of each user.`

function enrolmentMutation(name: string, method: 'POST' | 'DELETE', does: string, done: string): void {
  const success = mutation(name, {
    description: `${does}, and reports the result for each user. For administrators. ${COST}`,
    input: {
      description: 'The course and the users.',
      fields: (t) => ({
        courseId: t.id({ required: true, description: 'Global id or REST id of the course.' }),
        userIds: t.idList({ required: true, description: `Global ids or REST ids of the users: 1 to ${MAX_USERS} of them.` }),
      }),
    },
    success: {
      description: `The users were ${done}, or not: see \`results\`.`,
      fields: (t) => ({
        results: t.expose('results', {
          type: [EnrolmentResult],
          nullable: false,
          extensions: { lms: { count: usersIn } },
          description: 'One result for each distinct user of the input, in the order of the input.',
        }),
      }),
    },
    by: { method, route: memberList, entity: Course.entity, calls: (args) => Math.ceil(usersIn(args) / USERS_AT_ONCE) },
    idField: 'courseId',
    async write(input, writing) {
      const { course, users } = readInput((reader) => ({
        course: reader.field('courseId', () => readFieldId('Course', input.courseId)) ?? 0,
        users: readIdsField(reader, 'userIds', User, input.userIds, MAX_USERS),
      }))
      const rows = await writeInBatches(writing, method, course, users)
      const { decode } = writing.projections.of(resultShape, resultShape.set(resultShape.names), [])
      const results = users.map((userId, index) => {
        const record: Record<string, unknown> = {}
        decode(rows[index] as Row, record)
        return Object.assign(record, { userId })
      })
      storeExisting(writing, Course, course)
      return { databaseId: course, results }
    },
  })
  builder.objectField(success, 'course', (t) =>
    t.lmsRelation(Course, {
      key: 'databaseId',
      semanticNonNull: true,
      description: "The course as it is now. Null when it can't be shown: an error says why.",
    }),
  )
}

enrolmentMutation('enrolUsers', 'POST', 'Enrols users in a course', 'enrolled')
enrolmentMutation('unenrolUsers', 'DELETE', 'Ends the enrolment of users in a course', 'removed from the course')
