import { getOrMake } from '../../maps.js'
import type { Args, ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import type { NeededRecord, Related } from '../../model/needs.js'
import { UNREADABLE } from '../../rules/facts.js'
import { type MapNode, prerequisiteMap } from '../../rules/prerequisite-map.js'
import { BadInputError, LmsError } from '../../upstream/errors.js'
import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { objectOf } from '../kit/expose.js'
import { globalId } from '../kit/ids.js'
import { type NeededEdge, toMany } from '../kit/needed-edges.js'
import { learnerOf, progressOf, recordOf, recordsOf } from './facts.js'
import { enforcedPrerequisites, PREREQUISITE_COLUMNS, toProgress } from './needs.js'

interface Node extends Omit<MapNode, 'parentIds'> {
  readonly course: LmsRecord | null | LmsError
  readonly completed: boolean | null
  readonly parents: readonly number[]
  readonly courseGlobalId: string
  readonly parentGlobalIds: readonly string[]
}

const PrerequisiteNode = objectOf<Node>(builder, 'PrerequisiteNode', 'A course of a map of prerequisites.', {
  course: [Course, true, 'The course. Null when it does not exist, or beside an error when the caller may not read it.'],
  courseId: ['Int', false, 'REST id of the course.'],
  courseGlobalId: ['ID', false, 'Global id of the course, also when `course` is null.'],
  depth: ['Int', false, 'Smallest number of steps from the course of the map, which has depth 0.'],
  parents: [['Int'], false, 'REST ids of the courses of the map that directly require this course.'],
  parentGlobalIds: [['ID'], false, 'Global ids of the courses of the map that directly require this course.'],
  completed: [
    'Boolean',
    true,
    'Whether the user has completed the course. Null when that is not known. One REST call per level for each 100 courses.',
  ],
  isInCycle: [
    'Boolean',
    false,
    'Whether the course requires itself, directly or through other courses, so that nobody can fulfil all requirements.',
  ],
})

interface ShownMap {
  readonly nodes: readonly Node[]
  readonly isComplete: boolean
}

const PrerequisiteMap = objectOf<ShownMap>(
  builder,
  'PrerequisiteMap',
  'The courses that must be completed before a course, directly or through others.',
  {
    nodes: [[PrerequisiteNode], false, 'The courses, each once: the course of the map first, then by depth.'],
    isComplete: [
      'Boolean',
      false,
      'Whether these are all. False when some are deeper than `maxDepth`, or when the caller may not read the prerequisites of a course.',
    ],
  },
)

/** Largest depth of a map. */
const MOST = 10

const DEFAULT_DEPTH = 5

/** The user whose completed courses are marked; null for visitors and unknown viewers. */
function userOf(user: unknown, caller: ArgumentContext): number | null {
  const learner = learnerOf(user, caller)
  return typeof learner === 'number' ? learner : null
}

/** What a map needs of the courses at a depth: their prerequisites down to the largest depth, as far as the argument `maxDepth` allows. */
const needsAt = (depth: number): Readonly<Record<string, NeededEdge>> => ({
  progress: toProgress(({ databaseId }) => databaseId as number, {
    parse: ({ user }, caller) => ({ user: userOf(user, caller) }),
    neededFor: ['nodes.completed'],
  }),
  ...(depth < MOST && {
    prerequisites: toMany(Course, enforcedPrerequisites, {
      needs: PREREQUISITE_COLUMNS,
      parse: (args) => (depth < depthOf(args) ? {} : null),
      columns: PREREQUISITE_COLUMNS,
      shownAt: ['nodes.course'],
      relations: needsAt(depth + 1),
    }),
  }),
})

function depthOf({ maxDepth }: Args): number {
  const depth = (maxDepth ?? DEFAULT_DEPTH) as number
  if (depth < 1 || depth > MOST) throw new BadInputError(`\`maxDepth\` is ${depth}; it must be from 1 to ${MOST}.`)
  return depth
}

builder.objectField(Course, 'prerequisiteMap', (t) =>
  t.lmsComputed({
    type: PrerequisiteMap,
    semanticNonNull: true,
    description:
      'The prerequisites of the course, theirs, and so on, each once. Null only beside an error. One REST call for each level and each 100 courses, twice that with `completed`.',
    args: {
      user: t.arg.id({ description: 'Global id or REST id of the user whose completed courses are marked. The viewer by default.' }),
      maxDepth: t.arg.int({ defaultValue: DEFAULT_DEPTH, description: `Number of levels, from 1 to ${MOST}.` }),
    },
    needs: { columns: ['databaseId', ...PREREQUISITE_COLUMNS], relations: needsAt(0), shownAt: ['nodes.course'] },
    compute(course, related, args, caller) {
      const isUserKnown = userOf(args.user, caller) !== null
      const maxDepth = depthOf(args)
      // Fields with equal arguments have the same list.
      const key = Array.isArray(related.prerequisites) ? related.prerequisites : related
      return getOrMake(maps, key, () => mapOf(course.databaseId, { record: course, related }, maxDepth, isUserKnown, caller))
    },
  }),
)

/** The maps of running operations, by the prerequisites of their course. */
const maps = new WeakMap<object, ShownMap>()

/** Most courses and prerequisites, with repetitions, of all maps of one operation. */
const MOST_PARTS = 200_000

/** The courses and prerequisites in the maps of running operations. */
const parts = new WeakMap<ArgumentContext, { count: number }>()

type Found = Pick<NeededRecord, 'record' | 'related'>

/** Throws the error of a course that could not be read for another reason than the rights of the caller. */
function mapOf(root: number, found: Found, maxDepth: number, isUserKnown: boolean, caller: ArgumentContext): ShownMap {
  const counted = getOrMake(parts, caller, () => ({ count: 0 }))
  if (counted.count >= MOST_PARTS)
    throw new BadInputError(
      `The maps of prerequisites in this operation have more than ${MOST_PARTS} courses and prerequisites. Request fewer maps, or a smaller \`maxDepth\`.`,
    )
  // The first way to a course is the shortest one, on which its prerequisites were read.
  const known = new Map([[root, found]])
  const prerequisitesOf = (id: number): readonly number[] | undefined => {
    const found = known.get(id) as Found
    const ids = idsIn(found)
    const prerequisites = recordsOf(found.related.prerequisites)
    if (ids === undefined || prerequisites === UNREADABLE) return undefined
    counted.count += 1 + ids.length
    for (const [index, prerequisite] of prerequisites.entries())
      if (!known.has(ids[index] as number)) known.set(ids[index] as number, prerequisite)
    return ids
  }
  const { nodes, isComplete } = prerequisiteMap(root, prerequisitesOf, maxDepth)
  return {
    isComplete,
    nodes: nodes.map(({ parentIds, ...node }) => {
      const { record, related } = known.get(node.courseId) as Found
      const completed = isUserKnown ? completedBy(related) : null
      const [courseGlobalId, ...parentGlobalIds] = [node.courseId, ...parentIds].map((id) => globalId(Course.name, id)) as [
        string,
        ...string[],
      ]
      return { ...node, courseGlobalId, parents: parentIds, parentGlobalIds, course: record, completed }
    }),
  }
}

/** The prerequisites of a course. Undefined when the caller may not read them. */
function idsIn(found: Found): readonly number[] | undefined {
  const record = recordOf(found)
  if (record === null) return []
  if (record === UNREADABLE) return undefined
  const error = PREREQUISITE_COLUMNS.map((name) => record[name]).find((value) => value instanceof LmsError)
  return recordOf(error as LmsError | undefined) === UNREADABLE ? undefined : enforcedPrerequisites(record)
}

/** Whether a user has completed a course. Null when it is not known, or not asked for. */
function completedBy({ progress }: Related): boolean | null {
  if (progress === undefined) return null
  const facts = progressOf(progress)
  return facts === UNREADABLE ? null : facts?.status === 'COMPLETED'
}
