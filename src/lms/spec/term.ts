import { ALL, field, type Resource, type Taxonomy } from './field.js'
import { somePublished } from './post.js'

const readOnly = true

/** Paths below `/wp/v2` of the terms of taxonomies, where they differ from the name of the taxonomy. */
const TERM_ROUTES: Readonly<Record<string, string>> = { category: 'categories', post_tag: 'tags' }

export const termRoute = (shown: string): string => TERM_ROUTES[shown] ?? shown

/** Whether the terms of a taxonomy can be below each other. */
export const isHierarchical = ({ taxonomy }: Taxonomy): boolean => taxonomy.endsWith('category')

/** SQL of the terms of a taxonomy as rows. They count published records of some tables. */
const termsOf = (taxonomy: string, tables: readonly string[]): string => `(
  SELECT r.*, r.name AS title, r.name_folded AS title_folded, r.description AS content, r.slug AS content_folded, '' AS excerpt, '' AS excerpt_folded, '' AS password,
    'publish' AS status,
    (SELECT count(*) FROM post_terms x WHERE x.term = r.id AND x.taxonomy = '${taxonomy}' AND ${somePublished('p.id = x.post', tables)}) AS count
  FROM terms r WHERE r.taxonomy = '${taxonomy}')`

/** The terms of a taxonomy that records of some kinds have, as WordPress itself shows them. The specification has only their ids. */
export function termResource(taxonomy: Taxonomy, kinds: readonly Resource[]): Resource {
  const { shown } = taxonomy
  const below = isHierarchical(taxonomy) ? ['parent'] : []
  const tables = kinds.map(({ table }) => table)
  return {
    type: termRoute(shown),
    label: 'term',
    route: `/wp/v2/${termRoute(shown)}`,
    table: termsOf(taxonomy.taxonomy, tables),
    path: shown
      .replace('post_', '')
      .replace(/^[a-z]+_/, '')
      .replaceAll('_', '-'),
    taxonomies: [taxonomy],
    fields: [
      field('id', 'integer', { contexts: ALL, readOnly }),
      field('count', 'integer', { readOnly }),
      field('description', 'text', { readOnly }),
      field('link', 'link', { contexts: ALL, readOnly }),
      field('name', 'text', { contexts: ALL, readOnly }),
      field('slug', 'text', { contexts: ALL, readOnly }),
      field('taxonomy', 'text', { contexts: ALL, readOnly, column: `'${shown}'` }),
      ...below.map((name) => field(name, 'integer', { readOnly })),
      field('meta', 'json', { readOnly, column: "'[]'" }),
    ],
    listParameters: [
      ...['context', 'page', 'per_page', 'search', 'exclude', 'include', 'order', 'orderby', 'hide_empty', 'post', 'slug'],
      ...(below.length ? below : ['offset']),
    ],
    orderBy: ['id', 'include', 'name', 'slug', 'include_slugs', 'term_group', 'description', 'count'],
    singleIds: [...below, 'post'],
    items: kinds.map(({ route }) => route),
    anyPage: true,
  }
}
