import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isLeafType } from 'graphql'
import { globalId } from './global-id.js'
import { markOf } from './marks.js'
import { IDS, isDraft, PRICE_TYPES } from './private-records.js'
import type { Random } from './random.js'

/** Edit-only fields. */
export const EDIT_ONLY = ['password', 'permalinkTemplate', 'generatedSlug', 'titleRaw', 'contentRaw']
/** Those of users. */
const OF_USERS = ['username', 'firstName', 'lastName', 'nickname', 'email', 'locale', 'roles', 'registeredAt']
/** Types of post-like records. */
export const POSTS = ['Group', 'Course', 'Lesson', 'Quiz'] as const
/** The fields of a connection without its rows. */
export const PAGE = 'totalCount pageInfo { endCursor hasNextPage }'

/** Text fields, one of which is always selected, so that every record shows its caller. */
const TELLING = ['slug', 'titleHtml', 'name', 'statusValue', 'title']
const LINKS = 'links { rel href allow taxonomy } curies { name href }'

type Type = keyof typeof IDS

/** A text with the mark of a caller. */
export const said = (caller: number, about: string): string => `${about} ${markOf(caller)}`

/** Chooses ids and fields at random. */
export class Selections {
  constructor(
    readonly schema: GraphQLSchema,
    readonly random: Random,
  ) {}

  id(type: Type): number {
    return this.random.pick(IDS[type])
  }

  /** Id of a record that all callers may read. */
  published(type: Type): number {
    return this.random.pick(IDS[type].filter((id) => !isDraft(type, id)))
  }

  /** Global id of a record that all callers may read. */
  node(): string {
    const type = this.random.pick([...POSTS, 'CourseProgress', 'PriceType'] as const)
    if (type === 'PriceType') return globalId(type, this.random.pick(PRICE_TYPES))
    return globalId(type, type === 'CourseProgress' ? '3:1002' : this.published(type))
  }

  /** Some leaves of a type, and its links now and then. */
  of(type: string, count = 6): string {
    const fields = (this.schema.getType(type) as GraphQLObjectType).getFields()
    return [...this.names(type, count), ...('links' in fields && this.random.chance(0.15) ? [LINKS] : [])].join(' ')
  }

  /** Leaves of several types, each with an alias, so that fields of different types do not conflict. */
  ofAny(): string {
    const leaves = (type: string) => this.names(type, 6).map((name) => `${type}_${name}: ${name}`)
    return [...POSTS, 'CourseProgress', 'PriceType'].map((type) => `... on ${type} { ${leaves(type).join(' ')} }`).join(' ')
  }

  private names(type: string, count: number): string[] {
    const fields = Object.values((this.schema.getType(type) as GraphQLObjectType).getFields())
    const leaves = fields
      .filter((each) => isLeafType(getNamedType(each.type)) && ![...EDIT_ONLY, ...OF_USERS].includes(each.name))
      .map(({ name }) => name)
    const telling = TELLING.filter((name) => leaves.includes(name)).slice(0, 1)
    return [...new Set([...telling, ...this.random.some(leaves, count)])]
  }
}
