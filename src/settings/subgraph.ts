import { z } from 'zod'
import { isCoordinate, readMaxAge, readUserKey, type SdlOptions, type SubgraphOptions, WORDPRESS_TYPES } from '../federation/options.js'
import { isWebAddress } from '../upstream/site/site.js'
import { textList } from './names.js'
import { addressHint, type ConfigOf, onOff, type Setting } from './setting.js'

const commands = ['serve', 'schema', 'supergraph'] as const

/** The subgraph for larger graphs. */
export const SUBGRAPH = {
  subgraph: {
    flag: 'subgraph',
    env: 'SUBGRAPH',
    commands: ['serve', 'schema'],
    ...onOff,
    description: 'Serves a subgraph of a larger graph, by Apollo Federation 2.',
  },
  subgraphUsers: {
    flag: 'subgraph-users',
    env: 'SUBGRAPH_USERS',
    value: 'KEY',
    commands,
    schema: z
      .string()
      .refine((text) => readUserKey(text) !== undefined)
      .default('id'),
    otherwise: 'id',
    allowed: '`here`, or the name of a field, and its type if it is not ID: `id`, `lmsId:Int` or `lmsId:String`',
    description:
      '`here` when this subgraph owns users; else their key field in the subgraph that does, such as id or lmsId:Int, whose values are ids in the LMS.',
  },
  subgraphSlugKeys: {
    flag: 'subgraph-slug-keys',
    env: 'SUBGRAPH_SLUG_KEYS',
    commands,
    ...onOff,
    description: 'Adds the slug as a key of groups, courses, lessons and quizzes. Some routers select all keys of a record.',
  },
  subgraphRefersTo: {
    flag: 'subgraph-refers-to',
    env: 'SUBGRAPH_REFERS_TO',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: z.array(z.enum(WORDPRESS_TYPES)).default([]),
    otherwise: 'none',
    allowed: 'a list of `MediaItem`, `Category` and `Tag`, separated by commas, or `none`',
    description: 'Types of a subgraph of the same WordPress, such as WPGraphQL, to which records refer by databaseId.',
  },
  subgraphAuthenticated: {
    flag: 'subgraph-authenticated',
    env: 'SUBGRAPH_AUTHENTICATED',
    commands,
    ...onOff,
    description:
      'Marks mutations and fields that only editors may read with `@authenticated`, for routers. The gateway checks in any case.',
  },
  subgraphTags: {
    flag: 'subgraph-tags',
    env: 'SUBGRAPH_TAGS',
    commands,
    ...onOff,
    description: 'Marks types and fields with the tags learner, editor and administrator, for contracts.',
  },
  subgraphInaccessible: {
    flag: 'subgraph-inaccessible',
    env: 'SUBGRAPH_INACCESSIBLE',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: textList.refine((texts) => texts.every(isCoordinate)).default([]),
    otherwise: 'none',
    allowed: 'a list of coordinates such as Course.meta or Query.groups, separated by commas, or `none`',
    description: 'Types, fields, arguments and enum values that routers hide from clients.',
  },
  url: {
    flag: 'url',
    env: 'SUBGRAPH_URL',
    value: 'URL',
    commands: ['supergraph'],
    schema: z
      .string()
      .refine(isWebAddress)
      .transform((text) => new URL(text).href)
      .nullable()
      .default(null),
    otherwise: 'none; needed for `supergraph`',
    hint: addressHint,
    allowed: 'an http or https address without user and password',
    description: 'Address at which routers reach the gateway, such as https://lms.example.org/graphql.',
  },
} as const satisfies Record<string, Setting>

/** The options of the subgraph. */
export function subgraphOptionsOf(config: ConfigOf<typeof SUBGRAPH>): SubgraphOptions {
  return {
    users: config.subgraphUsers,
    slugKeys: config.subgraphSlugKeys,
    refersTo: config.subgraphRefersTo,
    authenticated: config.subgraphAuthenticated,
    tags: config.subgraphTags,
    inaccessible: config.subgraphInaccessible,
  }
}

/** The options of its SDL. */
export const sdlOptionsOf = (config: ConfigOf<typeof SUBGRAPH> & { readonly httpMaxAge: string | null }): SdlOptions => ({
  ...subgraphOptionsOf(config),
  httpMaxAge: config.httpMaxAge === null ? undefined : readMaxAge(config.httpMaxAge),
})
