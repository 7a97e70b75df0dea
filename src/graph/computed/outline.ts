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
import { leaves } from '../kit/expose.js'
import { type NeededEdge, toList, toMany, toOne } from '../kit/needed-edges.js'
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
  ORDER: 'The order of the steps: they are shown by id.',
  TOPICS: 'All topics, or those whose lesson is not known.',
  QUIZZES: 'The quizzes.',
  QUIZ_PLACES: 'Which quizzes are below lessons and topics: all are shown as quizzes of the course itself.',
})

const quizzes = [[Quiz], { list: false, items: true }, 'The quizzes. A quiz that the caller may not see is a null item.'] as const

const OutlineTopic = builder.objectRef<object>('OutlineTopic').implement({
  description: 'A topic of an outline.',
  fields: leaves({
    topicId: ['Int', false, 'REST id of the topic.'],
    topic: [Topic, true, 'The topic. Null when it does not exist, or when the caller may not see it.'],
    quizzes,
  }),
})

const OutlineLesson = builder.objectRef<object>('OutlineLesson').implement({
  description: 'A lesson of an outline.',
  fields: leaves({
    lessonId: ['Int', false, 'REST id of the lesson.'],
    lesson: [Lesson, true, 'The lesson. Null when it does not exist, or when the caller may not see it.'],
    topics: [[OutlineTopic], false, 'The topics of the lesson.'],
    quizzes,
  }),
})

const OutlineSection = builder.objectRef<object>('OutlineSection').implement({
  description: 'The lessons below a heading of a course.',
  fields: leaves({
    title: ['String', true, 'The heading. Null for lessons before the first one, and in courses without headings.'],
    lessons: [[OutlineLesson], false, 'The lessons.'],
  }),
})

const CourseOutline = builder.objectRef<object>('CourseOutline').implement({
  description: 'The steps of a course in the order of its page.',
  fields: leaves({
    sections: [[OutlineSection], false, 'The sections: at least one.'],
    quizzes,
    missing: [
      [OutlinePart],
      false,
      'What is not known of what is selected, because the caller may not read it or the site does not have it.',
    ],
  }),
})

const heading = {
  name: 'CourseSection',
  description: 'A heading of a course.',
  columns: { title: c.plainText('post_title', 'The heading.'), lessonIds: c.references('steps', 'Ids of its lessons.') },
}

const treeColumns = {
  tree: c.object('h', 'Ids of the steps by type, one in another.'),
  linear: c.texts('l', 'Types and ids of the steps, in their order.'),
  headings: c.records(heading, 'sections', 'The headings.'),
  // Some sites send the tree alone.
  [LESSON]: c.object(LESSON, 'The lessons.'),
  [QUIZ]: c.object(QUIZ, 'The quizzes of the course itself.'),
}
const TREE_COLUMNS = Object.keys(treeColumns)

/** The tree of a course. It is no type of the graph. */
const courseTree: Entity = {
  name: 'CourseTree',
  shape: new Shape('CourseTree', treeColumns),
  key: 'databaseId',
  byKey: {
    ...oneByOne(treeRoute, { params: (course) => ({ course }), keyOf: (_, { course }) => course ?? null, keyColumns: [] }),
    orBlank: true,
  },
}

/** The steps in a tree. Nothing when the site does not show it. */
function stepsOf({ tree, linear, ...alone }: LmsRecord): readonly Step[] | undefined {
  const { [LESSON]: lessons, [QUIZ]: quizzes } = alone
  const whole = tree ?? ((lessons || quizzes) && { [LESSON]: lessons, [QUIZ]: quizzes })
  return whole ? stepsIn(whole, (linear ?? []) as readonly string[]) : undefined
}

const STEPS = {
  [LESSON]: { entity: Lesson.entity, list: lessonList },
  [TOPIC]: { entity: Topic.entity, list: topicList },
  [QUIZ]: { entity: Quiz.entity, list: quizList },
}
type StepType = keyof typeof STEPS

const idsOf = (steps: readonly Step[], of: StepType, above?: number): readonly number[] =>
  steps.flatMap((step) => (step.type === of && (above ?? step.above) === step.above ? [step.id] : []))

/** How the steps of a type are read: by their ids in the tree, by the list of the course, or not at all. */
function wayTo(type: StepType, site: ArgumentContext['site']): 'ids' | 'list' | 'none' {
  const { entity, list } = STEPS[type]
  if (isLacking(site, list)) return 'none'
  return isLacking(site, treeRoute) || site.unbatched.includes(entity.name) ? 'list' : 'ids'
}

/** The steps of a type by their ids. */
const inTree = (type: StepType, ...shownAt: readonly string[]): NeededEdge =>
  toMany(STEPS[type], (tree) => idsOf(stepsOf(tree) ?? [], type), {
    needs: TREE_COLUMNS,
    parse: (_, { site }) => (wayTo(type, site) === 'ids' ? {} : null),
    shownAt,
    neededFor: shownAt,
  })

/** The list of the course, if it is needed: also where the site does not show the tree. */
const inList = (type: StepType, shownAt: readonly string[], neededFor = shownAt): NeededEdge =>
  toList(
    STEPS[type],
    STEPS[type].list,
    (tree, { way }: { readonly way: string }) =>
      way === 'list' || (way === 'ids' && !stepsOf(tree)) ? { query: { course: tree.databaseId as number } } : null,
    {
      needs: TREE_COLUMNS,
      parse: (_, { site }) => ({ way: wayTo(type, site) }),
      isSeldom: ({ way }) => way !== 'list',
      pick: (rows) => rows,
      columns: ['databaseId', ...(type === TOPIC ? ['lessonId'] : [])],
      shownAt,
      neededFor,
    },
  )

/** The rows of a list; nothing when the caller may not read it. */
const listed = (found: Related[string]): readonly LmsRecord[] | undefined =>
  found instanceof NotAvailableError || recordsOf(found) === UNREADABLE ? undefined : rowsOf(found)

/** The steps in the lists of a course, which do not tell the places of quizzes. */
const listedSteps = (rows: readonly LmsRecord[] | undefined, type: StepType): readonly Step[] =>
  rows?.map(({ databaseId, lessonId }) => ({ type, id: databaseId as number, above: type === TOPIC ? ((lessonId ?? -1) as number) : 0 })) ??
  []

function outlineOf({ record, related }: NeededRecord, site: ArgumentContext['site']): object {
  if (record instanceof LmsError) throw record
  const { linear, headings } = record as LmsRecord
  const inTree = stepsOf(record as LmsRecord)
  const [lessons, topics, quizzes] = [listed(related.listedLessons), listed(related.listedTopics), listed(related.listedQuizzes)]
  if (!lessons) throw related.listedLessons
  const steps = inTree ?? [...listedSteps(lessons, LESSON), ...listedSteps(topics, TOPIC), ...listedSteps(quizzes, QUIZ)]
  const areTopicsRead = wayTo(TOPIC, site) !== 'none' && topics !== undefined
  const missing = {
    SECTIONS: !headings,
    ORDER: inTree && !linear,
    TOPICS: inTree ? !areTopicsRead && idsOf(steps, TOPIC).length > 0 : !areTopicsRead || idsOf(steps, TOPIC, -1).length > 0,
    QUIZZES: !quizzes,
    QUIZ_PLACES: !inTree,
  }
  /** Returns what shows a step: its record, or the error that prevented the read. */
  const shown = (type: StepType, found: Related[string], rows: readonly LmsRecord[] = []) => {
    const byId = new Map<unknown, unknown>(rows.map((row) => [row.databaseId, row]))
    if (Array.isArray(found)) for (const [index, id] of idsOf(steps, type).entries()) if (found[index]) byId.set(id, found[index].record)
    return (id: number): unknown => byId.get(id) ?? null
  }
  const [lesson, topic] = [shown(LESSON, related.lessons, lessons), shown(TOPIC, related.topics, topics)]
  const quiz = shown(QUIZ, related.quizzes, quizzes)
  const quizzesOf = (above: number) => ({ quizzes: idsOf(steps, QUIZ, above).map(quiz) })
  const topicAt = (topicId: number) => ({ topicId, topic: topic(topicId), ...quizzesOf(topicId) })
  const lessonAt = (lessonId: number) => ({
    lessonId,
    lesson: lesson(lessonId),
    topics: idsOf(steps, TOPIC, lessonId).map(topicAt),
    ...quizzesOf(lessonId),
  })
  const sections = sectionsOf(idsOf(steps, LESSON), (headings ?? []) as readonly (LmsRecord & { readonly lessonIds: number[] | null })[])
  return {
    sections: sections.map(({ heading, lessonIds }) => ({ title: heading?.title, lessons: lessonIds.map(lessonAt) })),
    ...quizzesOf(0),
    missing: Object.entries(missing).flatMap(([part, isMissing]) => (isMissing ? [part] : [])),
  }
}

const [LESSONS, TOPICS] = ['sections.lessons.lesson', 'sections.lessons.topics']
const QUIZZES = ['quizzes', 'sections.lessons.quizzes', `${TOPICS}.quizzes`]

builder.objectField(Course, 'outline', (t) =>
  t.lmsComputed({
    type: CourseOutline,
    semanticNonNull: true,
    description:
      'What the course consists of: its sections, lessons, topics and quizzes in the order of its page. Null only beside an error. One REST call for the course, and one for each 100 lessons, topics and quizzes that are selected, of all courses together. Where the caller may not read the outline: one for each list of the course instead.',
    needs: {
      relations: {
        tree: toOne({ entity: courseTree }, ({ databaseId }) => databaseId as number, {
          columns: TREE_COLUMNS,
          relations: {
            lessons: inTree(LESSON, LESSONS),
            topics: inTree(TOPIC, `${TOPICS}.topic`),
            quizzes: inTree(QUIZ, ...QUIZZES),
            listedLessons: inList(LESSON, [LESSONS], ['sections']),
            listedTopics: inList(TOPIC, [`${TOPICS}.topic`], [TOPICS]),
            listedQuizzes: inList(QUIZ, QUIZZES),
          },
        }),
      },
    },
    compute: (_, { tree }, __, { site }) => outlineOf(tree as NeededRecord, site),
  }),
)
