import { describe, expect, it } from 'vitest'
import { type Access, type AccessReason, type AccessUnknown, courseAccess, lessonAccess, type MissingFact } from '../../src/rules/access.js'
import { type CourseQuestion, type LessonQuestion, UNREADABLE } from '../../src/rules/facts.js'
import { bypasses, isTrue, truthOf } from './oracle.js'
import { type ExpectedUnknown, expectedAccess, RULES } from './reading.js'
import { factsOf, whoOf } from './views.js'
import { type Case, makeCases, withFact } from './world-cases.js'

const SEED = 20
const CASES = makeCases(SEED, 6000)

const answer = (question: CourseQuestion | LessonQuestion): Access =>
  'lesson' in question ? lessonAccess(question) : courseAccess(question)
const ANSWERS = CASES.map((one) => ({ ...one, access: answer(one.question) }))

/** Every case in which something is wrong, with what is wrong. The first ones are enough for a message. */
function wrongs(find: (one: Case & { access: Access }) => readonly string[]): string[] {
  return ANSWERS.flatMap((one, index) => find(one).map((what) => `case ${index}, ${one.name}: ${what}`)).slice(0, 20)
}

const tally = (keys: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return Object.fromEntries(Object.entries(counts).sort())
}

const KINDS: readonly AccessReason['kind'][] = [
  'NotPublished',
  'PasswordRequired',
  'CourseNotStarted',
  'CourseEnded',
  'NotEnrolled',
  'PrerequisitesMissing',
  'Expired',
  'NotYetReleased',
  'PreviousLessonIncomplete',
]

/** Whether a fact that an answer calls missing is really not in the question. */
function isAbsent({ rule, missing }: AccessUnknown, question: CourseQuestion | LessonQuestion): boolean {
  const { learner, progress, earnedPoints, prerequisites, site } = question
  const lesson = 'lesson' in question ? question : null
  const course = question.course === UNREADABLE ? null : question.course
  switch (missing) {
    case 'LEARNER':
      return learner === null
    case 'COURSE_OF_LESSON':
      return question.course === null
    case 'COURSE':
      return question.course === UNREADABLE
    case 'PRICE_TYPE':
      return !['open', 'free', 'paynow', 'subscribe', 'closed'].includes(course?.priceTypeSlug ?? '')
    case 'PROGRESS':
      return (
        progress === UNREADABLE ||
        earnedPoints === UNREADABLE ||
        progress?.status === null ||
        course!.prerequisiteIds.some((id) => (prerequisites.find((one) => one.databaseId === id)?.progress ?? UNREADABLE) === UNREADABLE)
      )
    case 'PREREQUISITE':
      return course!.prerequisiteIds.some((id) => (prerequisites.find((one) => one.databaseId === id)?.exists ?? UNREADABLE) === UNREADABLE)
    case 'ENROLMENT_DATE':
      return ![progress, question.enrolment].some((row) => typeof row === 'object' && typeof row?.enrolledAt === 'string')
    case 'POINTS_AWARDED_BY_HAND':
      return Number(earnedPoints) < course!.pointsAccess!
    case 'TIME_ZONE':
      return site.timeZone === null
    case 'LESSON_ORDER':
      return lesson!.lessonIds === UNREADABLE || !lesson!.lessonIds.includes(lesson!.lesson.databaseId)
    case 'COMPLETED_STEPS':
      return !Array.isArray(lesson!.completedStepIds)
    case 'STATUS':
      return (lesson ? lesson.lesson.status : course!.status) === null || course?.status === null
    case 'SITE_BEHAVIOR': {
      const steps = lesson?.completedStepIds
      const isCompleted = Array.isArray(steps) && steps.includes(lesson!.lesson.databaseId)
      const isOpen = course?.priceTypeSlug === 'open' && site.openProgression === 'unknown'
      if (rule === 'STATUS') return lesson !== null && course !== null && course.status !== 'publish'
      if (rule === 'RELEASE' && learner === 'visitor') return true
      if (rule === 'PREREQUISITES' && site.missingPrerequisites === 'unknown') return true
      return lesson?.lesson.isSample === true || (rule === 'PROGRESSION' && (isOpen || isCompleted))
    }
  }
}

/** Gives a rule the facts it lacks, one after the other, until the world has no more. Says what is called missing and is not. */
function decide(one: Case, unknown: AccessUnknown): string[] {
  const { rule } = unknown
  const given: MissingFact[] = []
  let known: Pick<Case, 'world' | 'view'> | null = one
  let lacks: AccessUnknown | undefined = unknown
  while (known && lacks) {
    if (!isAbsent(lacks, factsOf(known.world, known.view))) return [`${rule}: ${lacks.missing} is not missing after ${given}`]
    if (given.includes(lacks.missing) && lacks.missing !== 'SITE_BEHAVIOR') return [`${rule} is not decided with ${given}`]
    given.push(lacks.missing)
    known = withFact(known, lacks.missing)
    lacks = known ? answer(factsOf(known.world, known.view)).unknowns.find((left) => left.rule === rule) : undefined
  }
  return []
}

const ESTIMATES = ['availableAt', 'expiresAt', 'points', 'pointsNeeded'] as const

const isAsExpected = (unknown: AccessUnknown | undefined, expected: ExpectedUnknown): boolean =>
  unknown !== undefined &&
  unknown.rule === expected.rule &&
  expected.missing.includes(unknown.missing) &&
  ESTIMATES.every((name) => expected[name] === undefined || expected[name] === unknown[name])

describe(`${CASES.length} questions about access, with the truth of each`, () => {
  it('meets every state, reason and rule often enough', () => {
    const states = tally(ANSWERS.map(({ access }) => access.state))
    const reasons = tally(ANSWERS.flatMap(({ access }) => access.reasons.map(({ kind }) => kind)))
    const unknowns = tally(ANSWERS.flatMap(({ access }) => access.unknowns.map(({ rule }) => rule)))
    const missing = tally(ANSWERS.flatMap(({ access }) => access.unknowns.map((one) => one.missing)))
    const roles = tally(ANSWERS.map(({ view }) => view.role))
    const decided = tally(ANSWERS.filter(({ access }) => access.state !== 'UNKNOWN').map(({ view }) => view.role))
    const rows = Object.entries({ state: states, reason: reasons, 'unknown rule': unknowns, 'missing fact': missing, role: roles })
    console.table(
      rows.flatMap(([what, counts]) =>
        Object.entries(counts).map(([name, cases]) => ({
          what,
          name,
          cases,
          ...(what === 'role' ? { decided: `${Math.round((100 * (decided[name] ?? 0)) / cases)} %` } : {}),
        })),
      ),
    )
    for (const state of ['AVAILABLE', 'LOCKED', 'UNKNOWN']) expect(states[state], state).toBeGreaterThanOrEqual(60)
    for (const kind of KINDS) expect(reasons[kind], kind).toBeGreaterThanOrEqual(10)
    // No question lacks the flag of a password.
    for (const rule of RULES.filter((name) => name !== 'PASSWORD')) expect(unknowns[rule], rule).toBeGreaterThanOrEqual(10)
  })

  it('never says AVAILABLE or LOCKED against the truth', () => {
    expect(
      wrongs(({ access, world, view }) => {
        const { isAdmitted, refusing } = truthOf(world, whoOf(view))
        if (access.state === 'AVAILABLE' && !isAdmitted) return [`AVAILABLE, but ${refusing.join(', ')} refuses`]
        if (access.state === 'LOCKED' && isAdmitted) return [`LOCKED by ${access.reasons.map(({ kind }) => kind).join(', ')}`]
        return []
      }),
    ).toEqual([])
  })

  it('gives reasons where it refuses, all of them true, in the order of the rules', () => {
    expect(
      wrongs(({ access, world, view }) => {
        const order = access.reasons.map(({ kind }) => KINDS.indexOf(kind))
        return [
          ...((access.state === 'LOCKED') === access.reasons.length > 0 ? [] : [`${access.state} with ${access.reasons.length} reasons`]),
          ...access.reasons
            .filter((reason) => !isTrue(reason, world, whoOf(view)))
            .map((reason) => `${JSON.stringify(reason)} is not true`),
          ...(order.every((place, index) => index === 0 || order[index - 1]! < place) ? [] : [`reasons in the order ${order}`]),
        ]
      }),
    ).toEqual([])
  })

  it('names what is missing, only what is, and decides with it', () => {
    expect(
      wrongs((one) => {
        const { access, question } = one
        const rules = access.unknowns.map(({ rule }) => RULES.indexOf(rule))
        const isSample = 'lesson' in question && question.lesson.isSample === true
        const mayStay = access.unknowns.every(({ rule }) => isSample && rule === 'ENROLMENT')
        return [
          ...(access.state === 'UNKNOWN' && access.unknowns.length === 0 ? ['UNKNOWN, and nothing is missing'] : []),
          ...(access.state === 'AVAILABLE' && !mayStay ? ['AVAILABLE, though a rule is not decided'] : []),
          ...(rules.every((place, index) => index === 0 || rules[index - 1]! < place) ? [] : [`unknowns in the order ${rules}`]),
          ...access.unknowns.flatMap((unknown) => decide(one, unknown)),
        ]
      }),
    ).toEqual([])
  })

  it('gives exact times, and only true ones', () => {
    expect(
      wrongs(({ access, world, view }) => {
        const { opens, ends } = truthOf(world, whoOf(view))
        const isFree = bypasses(world, whoOf(view)) && view.role !== 'UNKNOWN'
        if (isFree) return access.availableAt === null && access.expiresAt === null ? [] : ['times of a learner who is subject to none']
        const lacks = (...rules: string[]): boolean => access.unknowns.some(({ rule }) => rules.includes(rule))
        const isOutside = access.enrolment === 'UNKNOWN' || access.enrolment === 'NOT_ENROLLED'
        const wrong: string[] = []
        if (access.availableAt !== null && !opens.includes(access.availableAt))
          wrong.push(`availableAt ${access.availableAt}, not ${opens}`)
        if (access.expiresAt !== null && !ends.includes(access.expiresAt)) wrong.push(`expiresAt ${access.expiresAt}, not ${ends}`)
        const isComplete = !lacks('COURSE_DATES', 'ENROLMENT', 'RELEASE') && !access.reasons.some(({ kind }) => kind === 'NotEnrolled')
        if (isComplete && !isOutside && access.availableAt !== (opens.at(-1) ?? null))
          wrong.push(`availableAt ${access.availableAt}, not the last of ${opens}`)
        if (isComplete && !isOutside && !lacks('EXPIRY') && access.expiresAt !== (ends[0] ?? null))
          wrong.push(`expiresAt ${access.expiresAt}, not the first of ${ends}`)
        return wrong
      }),
    ).toEqual([])
  })

  it('answers as the table of rules says, no less decided', () => {
    expect(
      wrongs(({ access, question }) => {
        const expected = expectedAccess(question)
        const differing = (['state', 'enrolment', 'availableAt', 'expiresAt'] as const)
          .filter((name) => access[name] !== expected[name])
          .map((name) => `${name} is ${access[name]}, not ${expected[name]}`)
        if (JSON.stringify(access.reasons.map(sorted)) !== JSON.stringify(expected.reasons.map(sorted)))
          differing.push(`reasons ${JSON.stringify(access.reasons)}, not ${JSON.stringify(expected.reasons)}`)
        const given = expected.unknowns.filter(({ rule, isOptional }) => !isOptional || access.unknowns.some((one) => one.rule === rule))
        const isSame = access.unknowns.length === given.length && given.every((one, place) => isAsExpected(access.unknowns[place], one))
        if (!isSame) differing.push(`unknowns ${JSON.stringify(access.unknowns)}, not ${JSON.stringify(expected.unknowns)}`)
        return differing
      }),
    ).toEqual([])
  })
})

/** The keys of a reason in one order. */
const sorted = (reason: AccessReason): object => Object.fromEntries(Object.entries(reason).sort())
