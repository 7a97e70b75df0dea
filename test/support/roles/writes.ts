import { SAMPLES } from '../../../src/lms/index.js'
import type { World } from '../world.js'
import type { Case } from './matrix.js'
import { HIDDEN, ONE, PATHS, type PostName, PUBLIC, TYPES, UNKNOWN } from './site.js'

/** A case that may write. */
export interface WriteCase extends Case {
  /** REST calls of an operation that is refused. */
  readonly calls: number
  /** Path of the list that records of its type are in. */
  readonly list: string
  /** Paths whose responses it would change, besides the number of records in the list. */
  readonly watched: readonly string[]
  /** Whether it changes anything. */
  readonly changes: boolean
}

interface Writing extends Partial<Pick<WriteCase, 'calls' | 'watched' | 'changes'>> {
  readonly input: string
  /** A relation of the payload that the case checks: its path, its name and its selection. By default the mutation itself. */
  readonly relation?: { readonly about: string; readonly at: string; readonly shown: string }
}

function write(mutation: string, name: string, { input, relation, calls = 1, watched = [], changes = true }: Writing): WriteCase {
  const success = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Success`
  const selected = `__typename ... on LmsError { code } ... on ${success} { ${relation?.shown ?? '__typename'} }`
  return {
    about: relation?.about ?? `Mutation.${mutation}`,
    name,
    query: `mutation { ${mutation}(input: { ${input} }) { ${selected} } }`,
    at: `${mutation}.${relation?.at ?? '__typename'}`,
    list: PATHS[TYPES.find((type) => mutation.endsWith(type)) ?? 'Course'],
    calls,
    watched,
    changes,
  }
}

const whole = (type: PostName, id: number) => ({ watched: [`${PATHS[type]}/${id}?context=edit`] })

/** Creating and updating. */
function saving(type: PostName): WriteCase[] {
  const [one, create, update] = [ONE[type], `create${type}`, `update${type}`]
  const record = (success: string) => ({ about: `${success}.${one}`, at: one, shown: `${one} { title titleRaw }` })
  const [open, { draft, trashed }] = [PUBLIC[type], HIDDEN[type]]
  const change = (id: number | string, title: string): string => `id: "${id}", title: "${title}"`
  return [
    write(create, 'with nothing', { input: '' }),
    write(create, 'published', { input: 'title: "New", status: PUBLISH' }),
    write(create, 'what the gateway refuses', { input: 'authorId: "x"', calls: 0 }),
    write(create, 'what the site refuses', { input: `authorId: ${UNKNOWN}` }),
    write(create, 'published', { input: 'title: "New", status: PUBLISH', relation: record(`Create${type}Success`) }),
    write(update, 'published', { input: change(open, 'Changed'), ...whole(type, open) }),
    write(update, 'with nothing', { input: `id: ${open}`, ...whole(type, open), changes: false }),
    write(update, 'draft', { input: change(draft, 'Changed'), ...whole(type, draft) }),
    write(update, 'draft, to be published', { input: `id: ${draft}, status: PUBLISH`, ...whole(type, draft) }),
    write(update, 'trashed', { input: change(trashed, 'Changed'), ...whole(type, trashed) }),
    write(update, 'unknown', { input: change(UNKNOWN, 'Changed') }),
    write(update, 'what the gateway refuses', { input: change('x', 'Changed'), calls: 0 }),
    write(update, 'what the site refuses', { input: `id: ${open}, authorId: ${UNKNOWN}`, ...whole(type, open) }),
    write(update, 'published', { input: change(open, 'Again'), relation: record(`Update${type}Success`), ...whole(type, open) }),
  ]
}

/** Deleting, and writes by leaders. */
function ofGroups(): WriteCase[] {
  const led = SAMPLES.ledGroups[1]
  const { trashed, pending } = HIDDEN.Group
  const relation = { about: 'DeleteGroupSuccess.group', at: 'group', shown: 'group { title status }' }
  return [
    write('updateGroup', 'led by the leader', { input: `id: ${led}, title: "Changed"`, ...whole('Group', led) }),
    write('deleteGroup', 'led by the leader', { input: `id: ${led}`, ...whole('Group', led) }),
    write('deleteGroup', 'trashed', { input: `id: ${trashed}`, ...whole('Group', trashed) }),
    write('deleteGroup', 'for good', { input: `id: ${pending}, force: true` }),
    write('deleteGroup', 'unknown', { input: `id: ${UNKNOWN}` }),
    write('deleteGroup', 'what the gateway refuses', { input: 'id: "x"', calls: 0 }),
    write('deleteGroup', 'into the trash', { input: 'id: 1005', relation, ...whole('Group', 1_005) }),
    write('deleteGroup', 'for good', { input: 'id: 1006, force: true', relation }),
  ]
}

/** Adding courses to groups. */
function adding(): WriteCase[] {
  const add = (name: string, group: number, courses: readonly number[], more: Partial<Writing> = {}): WriteCase => {
    const watched = group === UNKNOWN ? [] : [`v2/groups/${group}/courses?status=any&per_page=100`]
    return write('addCoursesToGroup', name, { input: `id: ${group}, courseIds: [${courses}]`, watched, ...more })
  }
  const { emptyGroup, ledGroups, missingCourse } = SAMPLES
  const group = { about: 'AddCoursesToGroupSuccess.group', at: 'group', shown: 'group { title }' }
  const course = { about: 'CourseAddition.course', at: 'additions.*.course', shown: 'additions { course { title } }' }
  return [
    add('published', emptyGroup, [10_002]),
    add('to a group led by the leader', ledGroups[1], [PUBLIC.Course]),
    add('to a draft group', HIDDEN.Group.draft, [PUBLIC.Course]),
    add('to an unknown group', UNKNOWN, [PUBLIC.Course]),
    add('what the gateway refuses', emptyGroup, [], { calls: 0 }),
    add('published', emptyGroup, [10_003], { relation: group }),
    add('published, draft, unknown', emptyGroup, [10_004, HIDDEN.Course.draft, missingCourse], { relation: course }),
  ]
}

/** A sold course without demo users. */
const SOLD = 10_062

/** Enrolling users, and ending their enrolment. */
function enrolling(): WriteCase[] {
  return (['enrolUsers', 'unenrolUsers'] as const).flatMap((mutation) => {
    const success = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Success`
    const change = (name: string, users: readonly number[], more: Partial<Writing> & { readonly course?: number } = {}): WriteCase => {
      const { course = SOLD, ...others } = more
      const watched = course === UNKNOWN ? [] : [`v2/sfwd-courses/${course}/users?per_page=100`]
      return write(mutation, name, { input: `courseId: ${course}, userIds: [${users}]`, watched, ...others })
    }
    const user = { about: 'EnrolmentResult.user', at: 'results.*.user', shown: 'results { user { databaseId } }' }
    return [
      change('published', [4]),
      change('of an unknown course', [4], { course: UNKNOWN }),
      change('what the gateway refuses', [], { calls: 0 }),
      change('published', [3], { relation: { about: `${success}.course`, at: 'course', shown: 'course { title }' } }),
      ...(mutation === 'enrolUsers' ? [change('one unknown', [2, UNKNOWN], { relation: user })] : []),
    ]
  })
}

/** All cases that may write. */
export const WRITE_CASES: readonly WriteCase[] = [...TYPES.flatMap(saving), ...ofGroups(), ...adding(), ...enrolling()]

/** The state of the site for an administrator: the number of records, and the paths that a case may change. */
export async function stateOf(world: World, { list, watched }: WriteCase): Promise<string> {
  const counted = `${list}?per_page=1&_filter=id&status=any,trash`
  const answers = await Promise.all([counted, ...watched].map((path) => world.ask(path)))
  return answers.map(({ headers, text }) => `${headers.get('x-wp-total')} ${text}`).join('\n')
}
