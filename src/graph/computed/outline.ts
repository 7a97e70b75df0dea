import { oneByOne } from '../../load/by-key.js'
import type { ArgumentContext } from '../../model/edge.js'
import type { Entity, LmsRecord } from '../../model/entity.js'
import type { NeededRecord, Related } from '../../model/needs.js'
import { UNREADABLE } from '../../rules/facts.js'
import { LESSON, QUIZ, type Step, sectionsOf, stepsIn, TOPIC } from '../../rules/outline.js'
import * as c from '../../upstream/codec/columns.js'
import { Shape } from '../../upstream/codec/records.js'
import { LmsError, NotAvailableError } from '../../upstream/errors.js'
import { isLacking } from '../../upstream/routes.js'
import { treeRoute } from '../course/routes.js'
import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { objectOf } from '../kit/expose.js'
import { type NeededEdge, toList, toMany, toOne } from '../kit/needed-edges.js'
import type { RecordOf } from '../kit/refs.js'
import { lessonList } from '../lesson/routes.js'
import { Lesson } from '../lesson/type.js'
import { quizList } from '../quiz/routes.js'
import { Quiz } from '../quiz/type.js'
import { topicList } from '../topic/routes.js'
import { Topic } from '../topic/type.js'
import { enumOf } from './access-types.js'
import { recordsOf, rowsOf } from './facts.js'

const OutlinePart = enumOf('OutlinePart', 'A part of an outline that is not known. Parts can be added.', {
  SECTIONS: 'The sections: all lessons are in one without a title.',
  TOPICS: 'All topics, or those whose lesson is not known.',
  QUIZZES: 'The quizzes.',
  QUIZ_PLACES: 'Which quizzes are below lessons and topics: all are shown as quizzes of the course itself.',
})

const HIDDEN = 'Null when it does not exist, or when the caller may not see it.'
const quizzes = [[Quiz], { list: false, items: true }, `The quizzes. A quiz is null when the caller may not see it.`] as const

const OutlineTopic = objectOf(builder, 'OutlineTopic', 'A topic of an outline.', {
  topicId: ['Int', false, 'REST id of the topic.'],
  topic: [Topic, true, `The topic. ${HIDDEN}`],
  quizzes,
})

const OutlineLesson = objectOf(builder, 'OutlineLesson', 'A lesson of an outline.', {
  lessonId: ['Int', false, 'REST id of the lesson.'],
  lesson: [Lesson, true, `The lesson. ${HIDDEN}`],
  topics: [[OutlineTopic], false, 'The topics of the lesson.'],
  quizzes,
})

const OutlineSection = objectOf(builder, 'OutlineSection', 'The lessons below a heading of a course.', {
  title: ['String', true, 'The heading. Null for lessons before the first one, and in courses without headings.'],
  lessons: [[OutlineLesson], false, 'The lessons.'],
})

const CourseOutline = objectOf(builder, 'CourseOutline', 'The steps of a course in the order of its page.', {
  sections: [[OutlineSection], false, 'The sections: at least one.'],
  quizzes,
  missing: [[OutlinePart], false, 'What the site does not show to the caller, of what is selected.'],
})

const headingColumns = { title: c.plainText('post_title', 'The heading.'), lessonIds: c.references('steps', 'Ids of its lessons.') }

/** The tree of a course. It is no type of the graph. */
const courseTree: Entity = {
  name: 'CourseTree',
  shape: new Shape('CourseTree', {
    tree: c.object('h', 'Ids of the steps by type, one in another.'),
    linear: c.texts('l', 'Types and ids of the steps, in their order.'),
    headings: c.records({ name: 'CourseSection', description: 'A heading.', columns: headingColumns }, 'sections', 'The headings.'),
  }),
  key: 'databaseId',
  byKey: {
    ...oneByOne(treeRoute, { params: (course) => ({ course }), keyOf: (_, { course = null }) => course, keyColumns: [] }),
    orBlank: true,
  },
}
const needs = courseTree.shape.names

/** The steps in a tree. Nothing when the site does not show it. */
const stepsOf = ({ tree, linear }: LmsRecord): readonly Step[] | undefined =>
  tree && linear ? stepsIn(tree, linear as readonly string[]) : undefined

/** The types of steps, and the paths that show them. */
const TYPES = [
  { type: LESSON, entity: Lesson.entity, list: lessonList, shownAt: ['sections.lessons.lesson'], placedAt: ['sections'] },
  { type: TOPIC, entity: Topic.entity, list: topicList, shownAt: ['sections.lessons.topics.topic'], placedAt: ['sections.lessons.topics'] },
  { type: QUIZ, entity: Quiz.entity, list: quizList, shownAt: ['quizzes', 'sections.lessons.quizzes', 'sections.lessons.topics.quizzes'] },
]
type StepType = (typeof TYPES)[number]

const idsOf = (steps: readonly Step[], of: string, below?: number): readonly number[] =>
  steps.flatMap(({ type, id, above }) => (type === of && (below ?? above) === above ? [id] : []))

/** The ids of the steps of a type with their places: the course and, of topics, the lesson. */
const placed = (steps: readonly Step[], of: string, course: number) =>
  steps.flatMap(({ type, id, above }) => (type === of ? [{ key: id, within: { course, lesson: above } }] : []))

/** Whether the steps of a type are always read by the list of the course, not by their ids in the tree. */
const isListed = ({ entity }: StepType, { site }: ArgumentContext): boolean =>
  isLacking(site, treeRoute) || site.unbatched.includes(entity.name)

const inTree = (of: StepType): NeededEdge =>
  toMany(of, (tree) => placed(stepsOf(tree) ?? [], of.type, tree.databaseId as number), {
    needs,
    parse: (_, caller) => (isListed(of, caller) || isLacking(caller.site, of.list) ? null : {}),
    shownAt: of.shownAt,
    neededFor: of.shownAt,
  })

/** The list of the course, also where the site does not show the tree. */
const inList = (of: StepType): NeededEdge =>
  toList<{ readonly always: number }>(
    of,
    of.list,
    (tree, { always }) => (always === 1 || !stepsOf(tree) ? { query: { course: tree.databaseId as number } } : null),
    {
      needs,
      parse: (_, caller) => ({ always: isListed(of, caller) ? 1 : 0 }),
      isSeldom: ({ always }) => always === 0,
      pick: (rows) => rows,
      columns: ['databaseId', 'lessonId'],
      shownAt: of.shownAt,
      neededFor: of.placedAt ?? of.shownAt,
    },
  )

/** The rows of a list; nothing when the caller may not read it. */
const rowsIn = (found: Related[string]): readonly LmsRecord[] | undefined =>
  found instanceof NotAvailableError || recordsOf(found) === UNREADABLE ? undefined : rowsOf(found)

function outlineOf({ record, related }: NeededRecord, { site }: ArgumentContext): object {
  if (record instanceof LmsError) throw record
  const headings = (record as LmsRecord).headings as readonly RecordOf<typeof headingColumns>[] | null
  const known = stepsOf(record as LmsRecord)
  const lists = new Map(TYPES.map(({ type }) => [type as string, rowsIn(related[`${type} list`])]))
  if (!lists.get(LESSON)) throw related[`${LESSON} list`]
  const rows = [...lists].flatMap(([type, each = []]) => each.map((row) => ({ type, row, id: row.databaseId as number })))
  const steps = known ?? rows.map(({ type, row, id }) => ({ type, id, above: type === TOPIC ? ((row.lessonId ?? -1) as number) : 0 }))
  // A step is shown by its record, or by the error that prevented the read.
  const records = new Map<number, unknown>(rows.map(({ id, row }) => [id, row]))
  for (const { type } of TYPES) {
    const found = related[type]
    if (Array.isArray(found)) for (const [index, id] of idsOf(steps, type).entries()) if (found[index]) records.set(id, found[index].record)
  }
  const shown = (id: number): unknown => records.get(id) ?? null
  const quizzesBelow = (id: number) => ({ quizzes: idsOf(steps, QUIZ, id).map(shown) })
  const topicAt = (id: number) => ({ topicId: id, topic: shown(id), ...quizzesBelow(id) })
  const lessonAt = (id: number) => ({
    lessonId: id,
    lesson: shown(id),
    topics: idsOf(steps, TOPIC, id).map(topicAt),
    ...quizzesBelow(id),
  })
  const missing = {
    SECTIONS: !headings,
    TOPICS: known ? isLacking(site, topicList) && idsOf(steps, TOPIC).length > 0 : !lists.get(TOPIC) || idsOf(steps, TOPIC, -1).length > 0,
    QUIZZES: !lists.get(QUIZ),
    QUIZ_PLACES: !known,
  }
  return {
    sections: sectionsOf(idsOf(steps, LESSON), headings ?? []).map(({ title, lessonIds }) => ({ title, lessons: lessonIds.map(lessonAt) })),
    ...quizzesBelow(0),
    missing: Object.entries(missing).flatMap(([part, isMissing]) => (isMissing ? [part] : [])),
  }
}

const cost =
  'One REST call for each course, and one for each 100 lessons, topics and quizzes that are selected, of all courses together. Where the site does not show the outline: one for each list of the course instead.'

builder.objectField(Course, 'outline', (t) =>
  t.lmsComputed({
    type: CourseOutline,
    semanticNonNull: true,
    description: `What the course consists of, in the order of its page. Null only beside an error. ${cost}`,
    needs: {
      relations: {
        tree: toOne({ entity: courseTree }, ({ databaseId }) => databaseId as number, {
          columns: needs,
          relations: Object.fromEntries(TYPES.flatMap((of) => Object.entries({ [of.type]: inTree(of), [`${of.type} list`]: inList(of) }))),
        }),
      },
    },
    compute: (_, { tree }, __, caller) => outlineOf(tree as NeededRecord, caller),
  }),
)
