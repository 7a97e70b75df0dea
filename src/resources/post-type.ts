import { builder, type FieldBuilder, leaf } from '../graph/builder.js'
import type { Args } from '../graph/edges.js'
import { exposeColumns } from '../graph/expose.js'
import { readId } from '../graph/ids.js'
import { type Named, rootByKey, toOne } from '../graph/relations.js'
import { entityType, type Handle, type TypeOptions } from '../graph/types.js'
import type { Query } from '../rest/client.js'
import { BadInputError } from '../rest/errors.js'
import { postColumns } from './post.js'
import { User } from './user/type.js'

const authorDescription = 'The author. Null when there is none. No REST call: the interface has no route for users.'

/** What groups, courses, lessons and quizzes have in common. */
const LmsContent = builder.interfaceRef<object>('LmsContent').implement({
  description: 'A published or unpublished piece of the LMS: a group, a course, a lesson or a quiz.',
  interfaces: [builder.nodeInterfaceRef()] as never,
  fields: (t) =>
    ({
      ...exposeColumns(t as unknown as FieldBuilder, postColumns, ['databaseId']),
      author: leaf(t as unknown as FieldBuilder, 'author', User.ref, true, authorDescription),
    }) as never,
})

/** Declares a type of post-like records. */
export function postType(options: TypeOptions): Handle {
  const handle = entityType({ ...options, joined: 'here', interfaces: [builder.nodeInterfaceRef(), LmsContent] })
  addAuthor(handle.ref, handle.entity.name)
  return handle
}

/** Adds the root field that finds one such record; `extra` are further arguments, and what they add to the read. */
export function rootPost(field: string, handle: Handle, extra?: { args: object; read: (args: Args) => Query }): void {
  const type = handle.entity.name
  rootByKey(field, handle, {
    description: `A ${field} by id or by slug. Null when there is none. One REST call; by slug another one with \`password\`, or for what only editors may read.`,
    args: {
      ...builder.args((t) => ({
        id: t.id({ description: `Global id or REST id of the ${field}. Give either \`id\` or \`slug\`.` }),
        slug: t.string({
          description: `Slug of the ${field}: 1 to 200 characters without commas and blanks. Give either \`id\` or \`slug\`.`,
        }),
        password: t.string({
          description: 'Password of the content, where one protects it: 1 to 255 characters. Sites refuse one that is wrong or not needed.',
        }),
      })),
      ...extra?.args,
    },
    read: (args) => {
      const query = { ...(args.password == null ? {} : { password: readPassword(args.password as string) }), ...extra?.read(args) }
      return { ...readName(type, args), ...(Object.keys(query).length > 0 ? { query } : {}) }
    },
  })
}

/** The record that is meant: by its id, or by its slug. */
function readName(type: string, { id, slug }: Args): Pick<Named, 'key' | 'bySlug'> {
  if ((id == null) === (slug == null)) throw new BadInputError(id == null ? 'Give `id` or `slug`.' : 'Give `id` or `slug`, not both.')
  return id == null ? { key: readSlug(slug as string), bySlug: true } : { key: readId('id', type, id) }
}

function readSlug(slug: string): string {
  if (/^[^\s,]{1,200}$/.test(slug)) return slug
  throw new BadInputError(`\`slug\` must have 1 to 200 characters and no comma or blank; \`${slug.slice(0, 40)}\` is none.`)
}

function readPassword(password: string): string {
  if (password !== '' && password.length <= 255) return password
  throw new BadInputError('`password` must have 1 to 255 characters.')
}

/** Adds the author to a type that has its id. */
export const addAuthor = (ref: unknown, name: string): void => toOne({ ref, name }, 'author', User, 'authorId', authorDescription)
