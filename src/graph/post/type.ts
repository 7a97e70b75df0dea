import type { InputFieldMap } from '@pothos/core'
import type { Args } from '../../model/edge.js'
import type { Query } from '../../upstream/client.js'
import { BadInputError } from '../../upstream/errors.js'
import { FeaturedImage, featuredImage } from '../featured-image/type.js'
import { builder } from '../kit/builder.js'
import { exposeColumns, leaves } from '../kit/expose.js'
import { readId } from '../kit/ids.js'
import type { LmsNodeRef, LmsRowRef } from '../kit/refs.js'
import { termRelations } from '../lms-term/type.js'
import { User } from '../user/type.js'
import { postColumns } from './columns.js'

/** The relation to the author of a post-like record. */
const author = {
  key: 'authorId',
  description:
    'The author. Null when the record has none. No REST call for the id alone; else one for each 100 different users of a level, of all types together.',
} as const

/** What a caller may do with a record, by the method of the site. */
const right = (method: string, action: string) => ({
  method,
  description: `Whether the caller may ${action}, by the methods that the site allows on the record. Where the site does not tell them: whether it last let the caller read columns for editors. Null when that is not known either; false without credentials. No REST call.`,
})
const RIGHTS = { viewerCanUpdate: right('POST', 'change the record'), viewerCanDelete: right('DELETE', 'move the record to the trash') }

/** The interface of groups, courses, lessons, topics and quizzes. */
export const LmsContent = builder.interfaceRef<object>('LmsContent').implement({
  description: 'Content of the LMS, published or not: a group, a course, a lesson, a topic or a quiz.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    ...exposeColumns(t, postColumns, ['databaseId']),
    ...leaves({
      author: [User, true, author.description],
      featuredImage: [FeaturedImage, true, featuredImage.description],
      viewerCanUpdate: ['Boolean', true, RIGHTS.viewerCanUpdate.description],
      viewerCanDelete: ['Boolean', true, RIGHTS.viewerCanDelete.description],
    })(t),
  }),
})

/** Adds the relations that columns of a type lead to, and what the caller may do with its records if the site tells that. */
export function addPostFields(ref: LmsNodeRef<any, any, number> | LmsRowRef<any, any>): void {
  const { columns } = 'entity' in ref ? ref.entity.shape : ref.rowData.shape
  builder.objectFields(ref, (t) => ({
    ...('authorId' in columns && { author: t.lmsRelation(User, author) }),
    ...('featuredMediaId' in columns && { featuredImage: t.lmsRelation(FeaturedImage, featuredImage) }),
    ...termRelations(t, columns),
  }))
  if (!('allowedMethods' in columns && 'entity' in ref)) return
  for (const [field, { method, description }] of Object.entries(RIGHTS))
    builder.objectField(ref, field, (t) =>
      t.lmsComputed({
        type: 'Boolean',
        description,
        perCaller: true,
        needs: { columns: ['allowedMethods'] },
        compute: ({ allowedMethods }, _related, _args, caller) =>
          !caller.isReader && (allowedMethods?.includes(method) ?? caller.mayEdit(ref.entity)),
      }),
    )
}

/** Adds the root field for one post-like record. `extra` has further arguments and the query parameters they set. */
export function rootPost(
  field: string,
  ref: LmsNodeRef<any, any, number>,
  extra?: { args: InputFieldMap; parse: (args: Args) => Query },
): void {
  builder.queryField(field, (t) =>
    t.lmsRelation(ref, {
      description: `A ${field} by id or by slug. Null when it does not exist. One REST call; by slug one more with \`password\`, or for columns that only editors may read.`,
      args: {
        id: t.arg.id({ description: `Global id or REST id of the ${field}. Set either \`id\` or \`slug\`.` }),
        slug: t.arg.string({
          description: `Slug of the ${field}: 1 to 200 characters without commas and spaces. Set either \`id\` or \`slug\`.`,
        }),
        password: t.arg.string({
          description:
            'Password of protected content: 1 to 255 characters. Sites reject a wrong password, and one for content without a password.',
        }),
        ...extra?.args,
      },
      parse: ({ id, slug, password, ...others }) => {
        const query = { ...(password == null ? {} : { password: readPassword(password) }), ...extra?.parse(others) }
        if (id != null && slug != null) throw new BadInputError('Set `id` or `slug`, not both.')
        const named = id != null ? { key: readId('id', ref.name, id) } : slug != null ? { slug: readSlug(slug) } : undefined
        if (!named) throw new BadInputError('Set `id` or `slug`.')
        return { ...named, ...(Object.keys(query).length > 0 && { query }) }
      },
      key: (_, named) => named,
    }),
  )
}

function readSlug(slug: string): string {
  if (/^[^\s,]{1,200}$/.test(slug)) return slug
  throw new BadInputError(`\`slug\` must have 1 to 200 characters and no comma or space, not \`${slug.slice(0, 40)}\`.`)
}

function readPassword(password: string): string {
  if (password !== '' && password.length <= 255) return password
  throw new BadInputError('`password` must have 1 to 255 characters.')
}
