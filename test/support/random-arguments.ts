import { type GraphQLArgument, type GraphQLField, type GraphQLInputObjectType, getNamedType, isEnumType } from 'graphql'
import { SAMPLES } from '../../src/lms/index.js'
import { cursorOf } from '../../src/model/connection.js'
import { globalId } from './global-id.js'
import type { Random } from './random.js'
import type { Login } from './world.js'

/** Ids of the sample school, by type. */
export type Ids = Readonly<Record<string, readonly number[]>>

/** Chooses the least used names. */
export interface Steering {
  /** The least used of some names, each with `Type.field` in front of it. */
  least<T>(items: readonly T[], nameOf: (item: T) => string): T
}

export interface ArgumentOptions {
  readonly random: Random
  readonly ids: Ids
  readonly steering: Steering
  readonly caller: Login | undefined
}

type Values = Record<string, unknown>

const UNKNOWN_ID = 7_000_123
/** Special ids, by type. */
const SPECIAL: Readonly<Record<string, readonly number[]>> = {
  Course: [
    SAMPLES.draftCourse,
    SAMPLES.privateCourse,
    SAMPLES.undatedCourse,
    SAMPLES.dangling,
    ...SAMPLES.cycle,
    SAMPLES.protectedCourse,
    UNKNOWN_ID,
  ],
  Lesson: [SAMPLES.draftLesson, SAMPLES.sharedLesson, SAMPLES.protectedLesson, UNKNOWN_ID],
  Quiz: [SAMPLES.draftQuiz, SAMPLES.protectedQuiz, UNKNOWN_ID],
  Group: [SAMPLES.draftGroup, SAMPLES.emptyGroup, SAMPLES.protectedGroup, UNKNOWN_ID],
  Question: [UNKNOWN_ID],
  User: [1, 4, UNKNOWN_ID],
  FeaturedImage: [UNKNOWN_ID],
  LmsTerm: [UNKNOWN_ID],
}
/** Routes of taxonomies, by the resource that has their terms. */
const TAXONOMIES = ['categories', 'tags', 'lms_course_category', 'lms_group_tag', 'lms_lesson_category']
/** Fields about the viewer unless a user is given. */
const COMPUTED = ['access', 'prerequisiteMap']
/** Lists that exist at the root only. */
const ROOTS = { groups: true, courses: true }
/** Slugs of records by their root field; the last of each does not exist. */
const ROOT_SLUGS: Readonly<Record<string, readonly string[]>> = {
  course: ['algebra-equations-first-steps', 'geometry-first-steps', 'statistics-first-steps', 'biology-first-steps', 'no-such-course'],
  lesson: ['lesson-1-introduction-to-variables', 'lesson-4-practising-factoring', 'lesson-6-polynomials-revisited', 'no-such-lesson'],
  quiz: ['quiz-linear-equations-inequalities', 'check-yourself-variables', 'final-quiz-geometry', 'no-such-quiz'],
  group: ['riverside-school', 'evening-college', 'teacher-training', 'year-7', 'year-8', 'no-such-group'],
}
const SLUGS = ['paynow', 'free', 'open', 'closed', 'subscribe', 'nope', 'a slug!']
const WORDS = ['a', 'Algebra', 'the', 'Atoms', '&', 'Physics advanced', 'zzz']
const MOMENTS = ['2019-05-01T00:00:00', '2023-01-01T00:00:00Z', '2024-06-30T12:00:00+02:00']

/** Makes values for arguments: mostly valid ones, sometimes invalid ones that the gateway or the site has to refuse. */
export class ArgumentMaker {
  /** How many more unlisted ids may be chosen: an operation reads at most ten of them. */
  private special = 3

  constructor(private readonly options: ArgumentOptions) {}

  /** Arguments of a field; `rows` bounds its window. */
  make(type: string, field: GraphQLField<unknown, unknown>, rows: number): Values {
    const names = field.args.map(({ name }) => name)
    const values: Values = names.includes('after') ? this.window(type, field.name, rows) : {}
    for (const arg of field.args) {
      const { name } = arg
      if (name === 'id') values.id = field.name === 'node' ? this.node() : this.id(idTypeOf(field.name))
      else if (name === 'ids') values.ids = Array.from({ length: this.random.int(1, 5) }, () => this.node())
      else if (name === 'taxonomy')
        values.taxonomy = this.options.steering.least(enumValues(arg.type), (each) => `${field.name}(taxonomy: ${each})`)
      else if (name === 'slug' && !(field.name in ROOT_SLUGS)) values.slug = this.random.pick(SLUGS)
      else if (name === 'course' && (field.name === 'progressIn' || this.random.chance(field.name === 'access' ? 0.1 : 0.4)))
        values.course = this.id('Course')
      else if (name === 'user' && (!COMPUTED.includes(field.name) || this.random.chance(0.8))) values.user = this.id('User')
      else if (name === 'maxDepth' && this.random.chance(0.7)) values.maxDepth = this.random.chance(0.03) ? 11 : this.random.int(1, 5)
      else if (name === 'first' && field.name === 'nextLessons') values.first = this.random.int(1, 5)
      else if (name === 'where') this.where(arg, field.name, values)
      else if (name === 'orderBy' && this.random.chance(type === 'Query' ? 0.75 : 0.4)) this.orderBy(arg, values)
    }
    if (names.includes('password') && this.random.chance(0.12)) this.protect(field.name, values)
    else if (field.name in ROOT_SLUGS) this.bySlug(field.name, values)
    return values
  }

  private get random(): Random {
    return this.options.random
  }

  /** One in eight is read by slug instead: chosen by its id, so that other choices stay the same. */
  private bySlug(field: string, values: Values): void {
    const sum = [...String(values.id)].reduce((sum, character) => sum + character.charCodeAt(0), 0)
    // Only administrators can read steps by slug without a course.
    if (sum % 8 !== 0 || (this.options.caller !== 'admin' && ['lesson', 'quiz'].includes(field))) return
    const slugs = ROOT_SLUGS[field] as readonly string[]
    values.slug = slugs[(sum / 8) % slugs.length]
    delete values.id
  }

  private protect(field: string, values: Values): void {
    const id = {
      course: SAMPLES.protectedCourse,
      lesson: SAMPLES.protectedLesson,
      quiz: SAMPLES.protectedQuiz,
      group: SAMPLES.protectedGroup,
    }[field]
    if (id && this.random.chance(0.8)) values.id = String(id)
    values.password = this.random.chance(0.85) ? SAMPLES.password : 'wrong'
  }

  /** An id of a type, in either form. */
  id(type: string): string {
    const id = this.number(type)
    if (this.random.chance(0.01)) return globalId('NoSuchType', id)
    return this.random.chance(0.5) ? String(id) : globalId(type, id)
  }

  private number(type: string): number {
    if (this.special > 0 && this.random.chance(0.12)) {
      this.special--
      return this.random.pick(SPECIAL[type] as readonly number[])
    }
    return this.random.pick(this.options.ids[type] as readonly number[])
  }

  /** A global id of any type. */
  node(): string {
    const type = this.options.steering.least(
      ['Course', 'Lesson', 'Quiz', 'Group', 'User', 'Question', 'PriceType', 'CourseProgress', 'FeaturedImage', 'LmsTerm'],
      (name) => `node ${name}`,
    )
    if (type === 'PriceType') return globalId(type, this.random.pick(SLUGS.slice(0, 6)))
    if (type === 'CourseProgress') return globalId(type, `${this.number('User')}:${this.number('Course')}`)
    if (type === 'LmsTerm') return globalId(type, `${this.random.pick(TAXONOMIES)}:${this.number(type)}`)
    return globalId(type, this.number(type))
  }

  private window(type: string, field: string, rows: number): Values {
    const { random } = this
    const count = random.int(1, rows)
    const place = random.chance(0.5) ? 0 : random.int(0, 6)
    const forms: [name: string, make: () => Values][] = [
      ['first', () => ({ first: count })],
      ['after', () => ({ first: count, after: cursorOf(place) })],
      ['offset', () => ({ first: count, offset: place })],
      ['last', () => ({ last: count })],
      [
        'before',
        () => (random.chance(0.5) ? { last: count, before: cursorOf(place + 2) } : { first: count, before: cursorOf(place + count) }),
      ],
    ]
    if (random.chance(0.06)) return {}
    if (random.chance(0.02))
      return random.pick([{ first: 1, last: 1 }, { offset: 2 }, { first: -1 }, { first: 5_000 }, { first: 1, after: 'nonsense' }])
    const [, make] = random.chance(0.5)
      ? (forms[0] as (typeof forms)[0])
      : this.options.steering.least(forms, ([name]) => `${type}.${field}(${name})`)
    return make()
  }

  private where(arg: GraphQLArgument, field: string, values: Values): void {
    const steps = field === 'lessons' || field === 'quizzes'
    const input = getNamedType(arg.type) as GraphQLInputObjectType
    const where: Values = {}
    const members = Object.values(input.getFields())
    for (let count = this.random.pick((field in ROOTS) ? [1, 1, 2, 2] : [0, 0, 1, 1, 1, 2]); count > 0; count--) {
      const member = this.options.steering.least(members, ({ name }) => `${input.name}.${name}`)
      where[member.name] ??= this.filter(member.name, input, getNamedType(member.type))
      if (['lesson', 'topic', 'courseLevelOnly'].includes(member.name) && this.random.chance(0.85)) where.course = this.id('Course')
      if (member.name.startsWith('search')) where.search ??= this.random.pick(WORDS)
    }
    // Only administrators may list steps of all courses at once.
    if (steps && 'course' in input.getFields() && this.options.caller !== 'admin' && this.random.chance(0.9))
      where.course ??= this.id('Course')
    if (Object.keys(where).length > 0) values.where = where
  }

  private filter(name: string, input: GraphQLInputObjectType, type: unknown): unknown {
    const { random } = this
    const side = random.chance(0.4) ? 'in' : 'notIn'
    if (name === 'parent' && input.name === 'LmsTermWhere') return random.chance(0.6) ? '0' : String(this.number('LmsTerm'))
    switch (name) {
      case 'id':
      case 'parent':
      case 'author':
        return { [side]: this.idsOf(name === 'author' ? 'Author' : listedBy(input.name)) }
      case 'course':
        return input.name === 'CourseProgressWhere' ? { [side]: this.idsOf('Course') } : this.id('Course')
      case 'lesson':
        return this.id('Lesson')
      case 'topic':
        return random.int(400_001, 400_020)
      case 'menuOrder':
        return random.int(0, 3)
      case 'search':
        return random.pick(WORDS)
      case 'slug':
        return random.some(['algebra-equations', 'atoms', 'business-certificate', 'check-yourself-atoms', 'nope'], random.int(1, 3))
      case 'hideEmpty':
      case 'courseLevelOnly':
        return random.chance(0.8)
    }
    if (/(After|Before)$/.test(name)) return random.pick(MOMENTS)
    if (isEnumType(type)) {
      const values = type.getValues().map(({ value }) => value as string)
      if (name === 'status') return random.chance(0.6) ? ['PUBLISH'] : random.some(values, random.int(1, 2))
      return name === 'searchColumns' ? random.some(values, random.int(1, 2)) : random.pick(values)
    }
    return {
      [side]: random.some(
        Array.from({ length: 38 }, (_, index) => 700_001 + index),
        random.int(8, 16),
      ),
    }
  }

  private idsOf(type: string): string[] {
    const ids = this.options.ids[type] as readonly number[]
    const known = this.random.some(ids, this.random.chance(0.03) ? 0 : this.random.int(3, 12))
    const isTerm = type === 'LmsTerm'
    return known.map((id) => (isTerm || this.random.chance(0.5) ? String(id) : globalId(type === 'Author' ? 'User' : type, id)))
  }

  private orderBy(arg: GraphQLArgument, values: Values): void {
    const { random } = this
    const input = getNamedType(arg.type) as GraphQLInputObjectType
    const fields = getNamedType(input.getFields().field?.type)
    const field = isEnumType(fields)
      ? this.options.steering.least(fields.getValues(), ({ name }) => `${input.name}.field ${name}`).name
      : ''
    values.orderBy = { field, ...(random.chance(0.6) ? { direction: random.pick(['ASC', 'DESC']) } : {}) }
    if (random.chance(0.1)) return
    values.where ??= {}
    const where = values.where as Values
    if (field === 'INCLUDE') where.id = { in: this.idsOf(listedBy(input.name)) }
    if (field === 'INCLUDE_SLUGS') where.slug = ['atoms', 'algebra-equations']
    if (field === 'RELEVANCE') where.search ??= random.pick(WORDS)
  }
}

const enumValues = (type: GraphQLArgument['type']): string[] => {
  const named = getNamedType(type)
  return isEnumType(named) ? named.getValues().map(({ name }) => name) : []
}

/** Type of the records that a list with this input shows. */
const listedBy = (input: string): string => (/^(Group|User)Course/.test(input) ? 'Course' : input.replace(/Where$|OrderBy$/, ''))

const idTypeOf = (field: string): string => field[0]?.toUpperCase() + field.slice(1)
