import type { Cell } from '../store.js'
import { Prose } from './content.js'
import type { CourseSeed } from './courses.js'
import { GROUPS, SUBJECTS } from './curriculum.js'
import { FIRST_ID, passwordAt, SAMPLES } from './ids.js'
import { DEMO_USERS } from './people.js'
import { PostMaker, type PostRow, type Terms } from './posts.js'
import type { Random } from './random.js'

const LARGE_GROUP_SIZE = 110

/** Groups with their courses, members and leaders. */
export interface GroupTables {
  readonly groups: PostRow[]
  readonly courses: Record<string, Cell>[]
  readonly users: Record<string, Cell>[]
  readonly leaders: Record<string, Cell>[]
}

const [, leader, learner] = DEMO_USERS

function sizeOf(random: Random, id: number): number {
  if (id === SAMPLES.largeGroup) return LARGE_GROUP_SIZE
  return id === SAMPLES.emptyGroup ? 0 : random.int(8, 24)
}

/** One group, below its parent in the same copy of the school. */
function makeGroup(random: Random, maker: PostMaker, place: number, author: number, terms: Terms): PostRow {
  const id = FIRST_ID.group + place
  const [name, parent] = GROUPS[place % GROUPS.length]!
  const campus = Math.floor(place / GROUPS.length)
  const subject = random.pick(SUBJECTS)
  const prose = new Prose(random, subject)
  const base = maker.make({
    id,
    place,
    title: campus ? `${name} (Campus ${campus + 1})` : name,
    content: prose.body(random.pick(subject.topics)),
    excerpt: prose.excerpt(random.pick(subject.topics)),
    author,
    status: id === SAMPLES.draftGroup ? 'draft' : 'publish',
    password: passwordAt('group', place),
    meta: { room: `${random.int(1, 4)}.${random.int(10, 40)}`, seats: random.int(12, 30) },
  })
  terms.give(id, subject.area, 'group')
  return { ...base, parent: parent === null ? 0 : FIRST_ID.group + campus * GROUPS.length + parent }
}

/** The groups of the school. Every pupil is in one or two of them. */
export function makeGroups(
  random: Random,
  scale: number,
  courses: readonly CourseSeed[],
  people: { readonly teachers: readonly number[]; readonly pupils: readonly number[] },
  terms: Terms,
): GroupTables {
  const count = GROUPS.length * scale
  const maker = new PostMaker(random, count)
  const published = courses.filter((course) => course.published).map(({ id }) => id)
  const tables: GroupTables = { groups: [], courses: [], users: [], leaders: [] }
  for (let place = 0; place < count; place++) {
    const author = random.pick(people.teachers)
    const row = makeGroup(random, maker, place, author, terms)
    tables.groups.push(row)
    tables.leaders.push({ group_id: row.id, user: author })
    random.some(published, sizeOf(random, row.id)).forEach((course, index) => {
      tables.courses.push({ group_id: row.id, course, position: index + 1 })
    })
  }
  for (const id of SAMPLES.ledGroups) tables.leaders.push({ group_id: id, user: leader!.id })
  tables.users.push({ group_id: SAMPLES.ledGroups[0], user: learner!.id })
  people.pupils.forEach((user, place) => {
    const groups = new Set([FIRST_ID.group + (place % count), FIRST_ID.group + random.int(0, count - 1)])
    for (const group_id of groups) tables.users.push({ group_id, user })
  })
  return tables
}
