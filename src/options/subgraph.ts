import { z } from 'zod'
import { listOf, listOfWords, offByDefault, type Section } from './option.js'

/** Commands that print or serve the subgraph. */
const commands = ['serve', 'schema', 'supergraph'] as const

/** Types of WordPress to which records of the LMS refer. */
export const WORDPRESS_TYPES = ['MediaItem', 'Category', 'Tag'] as const

const COORDINATE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*(?:\([A-Za-z_]\w*:\))?)?$/

/** The subgraph for larger graphs. */
export const SUBGRAPH = {
  enabled: {
    ...offByDefault,
    flag: 'subgraph',
    commands: ['serve', 'schema'],
    description: 'Serves a subgraph of a larger graph, by Apollo Federation 2.',
  },
  users: {
    kind: 'text',
    schema: z.string().regex(/^(?:here|(?!__)[A-Za-z_]\w{0,99}(?::(?:ID|Int|String))?)$/),
    default: 'id',
    allowed: '`here`, or the name of a field, and its type if it is not ID: `id`, `lmsId:Int` or `lmsId:String`',
    value: 'KEY',
    type: 'string',
    flag: 'subgraph-users',
    commands,
    description:
      'The subgraph that owns users: `here` is this one; else the key field of users in the subgraph that owns them, with ids in the LMS as values.',
  },
  slugKeys: {
    ...offByDefault,
    flag: 'subgraph-slug-keys',
    commands,
    description: 'Adds the slug as a key of groups, courses, lessons and quizzes. Some routers select all keys of a record.',
  },
  refersTo: {
    ...listOfWords(WORDPRESS_TYPES),
    default: [],
    flag: 'subgraph-refers-to',
    commands,
    description: 'Types of a subgraph of the same WordPress, such as WPGraphQL, to which records refer by databaseId.',
  },
  authenticated: {
    ...offByDefault,
    flag: 'subgraph-authenticated',
    commands,
    description:
      'Marks mutations and fields that only editors may read with `@authenticated`, for routers. The gateway checks in any case.',
  },
  tags: {
    ...offByDefault,
    flag: 'subgraph-tags',
    commands,
    description: 'Marks types and fields with the tags learner, editor and administrator, for contracts.',
  },
  inaccessible: {
    ...listOf('coordinates such as Course.meta or Query.groups', (each) => COORDINATE.test(each)),
    default: [],
    flag: 'subgraph-inaccessible',
    commands,
    description: 'Types, fields, arguments and enum values that routers hide from clients.',
  },
} as const satisfies Section
