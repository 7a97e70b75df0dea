import type { Args, ArgumentContext, LmsRecord, NeededRecord, Related } from '../engine/edges.js'
import { Course } from '../resources/course/type.js'
import { CourseProgress } from '../resources/course-progress/type.js'
import { UNREADABLE } from '../rules/facts.js'
import { type MapNode, prerequisiteMap } from '../rules/prerequisite-map.js'
import { builder } from '../schema/builder.js'
import type { NeededEdge } from '../schema/computed.js'
import { leaf } from '../schema/expose.js'
import { keyEdge } from '../schema/needed-edges.js'
import { BadInputError, LmsError } from '../upstream/errors.js'
import { learnerOf, PROGRESS_COLUMNS, progressOf, recordsOf } from './facts.js'
import { enforcedPrerequisites, progressEdge } from './needs.js'

interface Node extends Omit<MapNode, 'parentIds'> {
  readonly course: LmsRecord | null | LmsError
  readonly completed: boolean | null
  readonly parents: readonly number[]
}

const PrerequisiteNode = builder.objectRef<Node>('PrerequisiteNode').implement({
  description: 'A course of a map of prerequisites.',
  fields: (t) => ({
    course: leaf(t, 'course', Course, true, 'The course. Null when it does not exist, or beside an error when it cannot be read.'),
    courseId: leaf(t, 'courseId', 'Int', false, 'Id of the course.'),
    depth: leaf(t, 'depth', 'Int', false, 'Smallest number of steps from the course of the map, which has depth 0.'),
    parents: leaf(t, 'parents', ['Int'], false, 'Ids of the courses of the map that directly require this course.'),
    completed: leaf(
      t,
      'completed',
      'Boolean',
      true,
      'Whether the user has completed the course. Null when that is not known. One REST call per level for each 100 courses.',
    ),
    isInCycle: leaf(
      t,
      'isInCycle',
      'Boolean',
      false,
      'Whether the course requires itself, directly or through other courses, so that nobody can fulfil all requirements.',
    ),
  }),
})

const PrerequisiteMap = builder.objectRef<{ readonly nodes: readonly Node[]; readonly isComplete: boolean }>('PrerequisiteMap').implement({
  description: 'The courses that must be completed before a course, directly or through others.',
  fields: (t) => ({
    nodes: leaf(t, 'nodes', [PrerequisiteNode], false, 'The courses, each once: the course of the map first, then by depth.'),
    isComplete: leaf(
      t,
      'isComplete',
      'Boolean',
      false,
      'Whether these are all. False when some are deeper than `maxDepth`, or when the prerequisites of a course cannot be read.',
    ),
  }),
})

/** Largest depth of a map. */
const MOST = 10

const DEFAULT_DEPTH = 5

const PREREQUISITE_COLUMNS = ['prerequisiteEnabled', 'prerequisiteIds'] as const

/** The user whose completed courses are marked; null for visitors and unknown viewers. */
function userOf(user: unknown, caller: ArgumentContext): number | null {
  const learner = learnerOf(user, caller)
  return typeof learner === 'number' ? learner : null
}

const progressAt = (depth: number): NeededEdge => ({
  ref: CourseProgress,
  edge: progressEdge(
    `Course.prerequisiteMap.progress.${depth}`,
    [],
    ({ user }, caller) => ({ user: userOf(user, caller) }),
    ({ databaseId }) => databaseId as number,
  ),
  columns: PROGRESS_COLUMNS,
  neededFor: ['nodes.completed'],
})

/** What a map needs of the courses at a depth: their prerequisites down to the largest depth, as far as the argument `maxDepth` allows. */
const needsAt = (depth: number): Readonly<Record<string, NeededEdge>> => ({
  progress: progressAt(depth),
  ...(depth < MOST && {
    prerequisites: {
      ref: Course,
      edge: keyEdge<{ readonly isIncluded: boolean }>({
        id: `Course.prerequisiteMap.${depth + 1}`,
        needs: PREREQUISITE_COLUMNS,
        prepare: (args) => ({ isIncluded: depth < depthOf(args) }),
        entities: ({ isIncluded }) => (isIncluded ? [Course.entity] : []),
        targets: (course, { isIncluded }) =>
          isIncluded ? enforcedPrerequisites(course).map((key) => ({ entity: Course.entity, key })) : [],
        many: true,
      }),
      columns: PREREQUISITE_COLUMNS,
      shownAt: ['nodes.course'],
      relations: needsAt(depth + 1),
    },
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
      const known = new Map<number, Found>()
      collect(course.databaseId, { record: course, related }, known)
      const prerequisitesOf = (id: number): readonly number[] | undefined => {
        const record = known.get(id)?.record
        return record instanceof LmsError ? undefined : record ? enforcedPrerequisites(record) : []
      }
      const { nodes, isComplete } = prerequisiteMap(course.databaseId, prerequisitesOf, depthOf(args))
      return {
        isComplete,
        nodes: nodes.map(({ parentIds, ...node }) => {
          const { record = null, related = {} } = known.get(node.courseId) ?? {}
          return { ...node, parents: parentIds, course: record, completed: isUserKnown ? completedBy(related) : null }
        }),
      }
    },
  }),
)

type Found = Pick<NeededRecord, 'record' | 'related'>

/** Collects the records of a map by id. A course that is found at several depths is taken from the smallest one, which has its prerequisites. */
function collect(root: number, found: Found, known: Map<number, Found>): void {
  let level: [number, Found][] = [[root, found]]
  while (level.length > 0) {
    const below: typeof level = []
    for (const [id, each] of level) {
      if (known.has(id)) continue
      known.set(id, each)
      const { record, related } = each
      const prerequisites = recordsOf(related.prerequisites)
      if (record === null || record instanceof LmsError || prerequisites === UNREADABLE) continue
      const ids = enforcedPrerequisites(record)
      for (const [index, prerequisite] of prerequisites.entries()) below.push([ids[index] as number, prerequisite])
    }
    level = below
  }
}

/** Whether a user has completed a course. Null when it is not known, or not asked for. */
function completedBy({ progress }: Related): boolean | null {
  if (progress === undefined) return null
  const facts = progressOf(progress)
  return facts === UNREADABLE ? null : facts?.status === 'COMPLETED'
}
