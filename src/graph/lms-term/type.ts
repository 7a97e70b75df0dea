import { type Args, keyEdge } from '../../model/edge.js'
import type { Shape } from '../../upstream/codec/records.js'
import { builder } from '../kit/builder.js'
import { readDatabaseId, readTermId } from '../kit/ids.js'
import { termColumns } from './columns.js'
import { terms } from './loader.js'
import { TAXONOMIES, termKey, termList, termParams } from './routes.js'

const LmsTerm = builder.lmsNodeRef('LmsTerm', {
  columns: termColumns,
  load: terms,
  key: 'key',
  keyParts: [],
  // The name of the taxonomy becomes part of a path, so that only known ones are accepted.
  isKey: (text) => {
    const { taxonomy, id } = termParams(text)
    return Object.values(TAXONOMIES).includes(taxonomy) && text === termKey(taxonomy, readDatabaseId(id) ?? '')
  },
  federated: 'here',
})

const Taxonomy = builder.enumType('LmsTaxonomy', {
  description: 'A taxonomy: a kind of terms by which records are arranged.',
  values: Object.fromEntries(
    Object.keys(TAXONOMIES).map((name) => {
      const [kind, ofType] = name.toLowerCase().split('_').reverse()
      const of = ofType === undefined ? 'all types of the site that have them' : `${ofType}s only`
      return [name, { description: `${kind === 'tag' ? 'Tags' : 'Categories'} of ${of}.` }]
    }),
  ),
})

const taxonomyOf = ({ key }: { readonly key: string }): string | undefined =>
  Object.keys(TAXONOMIES).find((name) => TAXONOMIES[name] === termParams(key).taxonomy)

LmsTerm.implement({
  description: 'A term of a taxonomy: a category or a tag.',
  fields: (t) => ({
    taxonomy: t.field({
      type: Taxonomy,
      nullable: false,
      description: 'Taxonomy of the term.',
      extensions: { lms: { resolve: taxonomyOf } },
      resolve: taxonomyOf as never,
    }),
    parent: t.lmsRelation(LmsTerm, {
      needs: ['parentId'],
      key: ({ key, parentId }) => (parentId === null ? null : termKey(termParams(key).taxonomy, parentId)),
      description:
        'The term above this one. Null for a term without one, and in taxonomies without levels. One REST call per taxonomy for each 100 different terms of a level.',
    }),
  }),
})

/** Returns a relation for each column that lists the ids of terms: `courseCategories` for `courseCategoryIds`. */
export const termRelations = (t: PothosSchemaTypes.ObjectFieldBuilder<any, any>, columns: Shape['columns']) =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([column, { wire }]) => {
      if (!Object.values(TAXONOMIES).includes(wire)) return []
      const field = t.lmsEdge({
        type: [LmsTerm],
        nullable: { list: false, items: true },
        description: `The terms of \`${column}\`, in this order. A deleted term is a null item. Empty when the list of ids is null. One REST call for each 100 different terms of a level, of all types together.`,
        lmsEdge: (id) =>
          keyEdge(id, {
            needs: [column],
            entities: () => [LmsTerm.entity],
            targets: ({ [column]: ids }) => ((ids ?? []) as number[]).map((each) => ({ entity: LmsTerm.entity, key: termKey(wire, each) })),
            many: true,
            oneScope: wire,
          }),
      })
      return [[column.endsWith('yIds') ? `${column.slice(0, -4)}ies` : `${column.slice(0, -3)}s`, field]]
    }),
  )

builder.queryField('terms', (t) =>
  t.lmsConnection(LmsTerm, {
    list: termList,
    args: { taxonomy: t.arg({ type: Taxonomy, required: true, description: 'Taxonomy of the terms.' }) },
    parse: (args) => {
      const taxonomy = TAXONOMIES[args.taxonomy as string] as string
      const { id, parent } = ((args as Args).where ?? {}) as { id?: Record<string, unknown>; parent?: unknown }
      for (const each of [parent, id?.in, id?.notIn].flat()) if (each && String(each) !== '0') readTermId('where', taxonomy, each)
      return { taxonomy }
    },
    params: (_, { taxonomy }) => ({ taxonomy }),
    description: 'Terms of one taxonomy, for menus and filters. One REST call for each 100 rows.',
  }),
)
