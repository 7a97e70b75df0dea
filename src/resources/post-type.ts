import type { InputFieldMap } from '@pothos/core'
import type { Args } from '../engine/edges.js'
import { builder } from '../schema/builder.js'
import { exposeColumns, leaf } from '../schema/expose.js'
import { readId } from '../schema/ids.js'
import type { LmsNodeRef } from '../schema/refs.js'
import type { Query } from '../upstream/client.js'
import { BadInputError } from '../upstream/errors.js'
import { postColumns } from './post.js'
import { User } from './user/type.js'

/** The relation to the author of a post-like record. */
export const author = {
  key: 'authorId',
  description: 'The author. Null when there is none. No REST call: the interface has no route for users.',
} as const

/** What groups, courses, lessons and quizzes have in common. */
export const LmsContent = builder.interfaceRef<object>('LmsContent').implement({
  description: 'A published or unpublished piece of the LMS: a group, a course, a lesson or a quiz.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    ...exposeColumns(t, postColumns, ['databaseId']),
    author: leaf(t, 'author', User, true, author.description),
  }),
})

/** Adds the root field that finds one post-like record. `extra` are further arguments, and the query parameters they become. */
export function rootPost(
  field: string,
  ref: LmsNodeRef<any, any, number>,
  extra?: { args: InputFieldMap; read: (args: Args) => Query },
): void {
  builder.queryField(field, (t) =>
    t.lmsRelation(ref, {
      description: `A ${field} by id or by slug. Null when there is none. One REST call; by slug another one with \`password\`, or for what only editors may read.`,
      args: {
        id: t.arg.id({ description: `Global id or REST id of the ${field}. Give either \`id\` or \`slug\`.` }),
        slug: t.arg.string({
          description: `Slug of the ${field}: 1 to 200 characters without commas and blanks. Give either \`id\` or \`slug\`.`,
        }),
        password: t.arg.string({
          description: 'Password of the content, where one protects it: 1 to 255 characters. Sites refuse one that is wrong or not needed.',
        }),
        ...extra?.args,
      },
      read: ({ id, slug, password, ...others }) => {
        const query = { ...(password == null ? {} : { password: readPassword(password) }), ...extra?.read(others) }
        if ((id == null) === (slug == null)) throw new BadInputError(id == null ? 'Give `id` or `slug`.' : 'Give `id` or `slug`, not both.')
        const named = id == null ? { slug: readSlug(slug as string) } : { key: readId('id', ref.name, id) }
        return { ...named, ...(Object.keys(query).length > 0 && { query }) }
      },
      key: (_, named) => named,
    }),
  )
}

function readSlug(slug: string): string {
  if (/^[^\s,]{1,200}$/.test(slug)) return slug
  throw new BadInputError(`\`slug\` must have 1 to 200 characters and no comma or blank; \`${slug.slice(0, 40)}\` is none.`)
}

function readPassword(password: string): string {
  if (password !== '' && password.length <= 255) return password
  throw new BadInputError('`password` must have 1 to 255 characters.')
}
