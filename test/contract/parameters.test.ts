import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { ALL_COLUMNS_SITE, isOtherwise, otherwise } from '../support/profile.js'
import { World } from '../support/world.js'

type Json = Record<string, any>

const { listParameters } = JSON.parse(readFileSync(new URL('./interface.json', import.meta.url), 'utf8')) as {
  listParameters: Record<string, string[]>
}

let world: World
beforeAll(async () => {
  world = await World.start({ limits: { maxRows: 2_000 } }, ...ALL_COLUMNS_SITE)
})
afterAll(() => world.close())

/** A case that makes the gateway send a parameter: arguments of the list, and the expected response. */
interface Case {
  readonly args: string
  /** Selections on each row, besides its id. */
  readonly fields?: string
  /** Whether a row matches. The response must have all matching rows, and there must be others. */
  readonly passes?: (row: Json) => boolean
  /** The expected ids in order, from the ids of all rows. */
  readonly ids?: (rows: readonly Json[]) => unknown[]
  /** The expected value of the parameter. */
  readonly sends?: string
}

interface List {
  /** The query around `nodes`; ARGS stands for the arguments. */
  readonly query: string
  readonly nodes: (data: Json) => Json[]
  readonly id: string
  readonly path: string
  /** Required arguments of the list. */
  readonly base?: string
}

const root = (field: string, path: string): List => ({
  query: `{ ${field}ARGS { nodes { FIELDS } } }`,
  nodes: (data) => data[field].nodes,
  id: 'databaseId',
  path,
})

const group = SAMPLES.largeGroup
const user = SAMPLES.manyRowsUser
const COURSE = 10_001

const LISTS: Readonly<Record<string, List>> = {
  groups: root('groups', '/lms/v1/groups'),
  'sfwd-courses': root('courses', '/lms/v1/sfwd-courses'),
  'sfwd-quiz': root('quizzes', '/lms/v1/sfwd-quiz'),
  'sfwd-lessons': root('lessons', '/lms/v2/sfwd-lessons'),
  'groups/<id>/courses': {
    query: `{ group(id: ${group}) { coursesARGS { nodes { FIELDS } } } }`,
    nodes: (data) => data.group.courses.nodes,
    id: 'databaseId',
    path: `/lms/v2/groups/${group}/courses`,
  },
  'users/<id>/course-progress': {
    query: `{ user(id: ${user}) { courseProgressARGS { nodes { FIELDS } } } }`,
    nodes: (data) => data.user.courseProgress.nodes,
    id: 'courseId',
    path: `/lms/v2/users/${user}/course-progress`,
  },
}

async function ask({ query, nodes }: List, args: string, fields: string): Promise<{ rows: Json[]; calls: readonly string[] }> {
  const { data, errors, calls } = await world.query(query.replace('ARGS', args === '' ? '' : `(${args})`).replace('FIELDS', fields), {
    as: 'admin',
  })
  expect([args, errors]).toEqual([args, []])
  return { rows: nodes(data), calls }
}

/** Expects that an argument is refused, without a call. */
async function expectRefused({ query, path }: List, args: string): Promise<void> {
  const { errors, calls } = await world.query(query.replace('ARGS', `(${args})`).replace('FIELDS', 'id'), { as: 'admin' })
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
  expect(calls.filter((call) => call.startsWith(`${path}?`))).toEqual([])
}

const FIELDS = 'date dateGmt modifiedGmt title titleRaw contentRaw slug authorId statusValue'

/** Names of the graph for the taxonomies of the interface: of the filter, and of the ids. */
function taxonomy(param: string): { filter: string; ids: string } {
  const own = /^lms_(\w+)_(category|tag)$/.exec(param)
  if (own)
    return { filter: `${own[1]}${own[2] === 'tag' ? 'Tags' : 'Categories'}`, ids: `${own[1]}${own[2] === 'tag' ? 'Tag' : 'Category'}Ids` }
  return param === 'tags' ? { filter: 'tags', ids: 'tagIds' } : { filter: 'categories', ids: 'categoryIds' }
}

const upper = (row: Json): string => `${row.titleRaw}`.toLowerCase()
const middle = (values: readonly string[]): string => [...values].sort()[Math.floor(values.length / 2)] as string

/** Cases of the window and the order, for which the graph has arguments of their own. */
function windowCase(param: string, rows: readonly Json[], id: string): Case | undefined {
  const ids = rows.map((row) => row[id])
  const cases: Readonly<Record<string, Case>> = {
    context: { args: 'first: 3', sends: 'view' },
    per_page: { args: 'first: 7', ids: () => ids.slice(0, 7), sends: '7' },
    page: { args: 'first: 5, offset: 5', ids: () => ids.slice(5, 10), sends: '2' },
    offset: { args: 'first: 4, offset: 3', ids: () => ids.slice(3, 7), sends: '3' },
    order: { args: 'first: 2000, orderBy: { field: ID, direction: DESC }', ids: () => ids.toSorted((a, b) => b - a), sends: 'desc' },
    orderby: { args: 'first: 2000, orderBy: { field: ID }', ids: () => ids.toSorted((a, b) => a - b), sends: 'id' },
  }
  return cases[param]
}

/** Cases of filters; `rows` are all rows of the list, unfiltered. */
function filterCase(param: string, rows: readonly Json[], all: readonly Json[]): Case | undefined {
  const [first, second] = rows as [Json, Json]
  const author = first.authorId
  const where = (text: string): string => `first: 2000, where: { ${text} }`
  const parent = all.find(({ parentId }) => parentId)?.parentId
  const word = 'glossary'
  const published = middle(rows.map(({ dateGmt }) => dateGmt))
  const modified = middle(rows.map(({ modifiedGmt }) => modifiedGmt))
  const cases: Readonly<Record<string, Case>> = {
    search: { args: where('search: "Level"'), passes: (row) => `${upper(row)} ${row.contentRaw}`.toLowerCase().includes('level') },
    search_semantics: {
      args: where(`search: ${JSON.stringify(first.titleRaw)}, searchSemantics: EXACT`),
      passes: (row) => row.titleRaw === first.titleRaw,
      sends: 'exact',
    },
    search_columns: {
      args: where(`search: "${word}", searchColumns: [TITLE]`),
      passes: (row) => upper(row).includes(word),
      sends: 'post_title',
    },
    after: { args: where(`publishedAfter: "${published}"`), passes: (row) => row.dateGmt > published },
    before: { args: where(`publishedBefore: "${published}"`), passes: (row) => row.dateGmt < published },
    modified_after: { args: where(`modifiedAfter: "${modified}"`), passes: (row) => row.modifiedGmt > modified },
    modified_before: { args: where(`modifiedBefore: "${modified}"`), passes: (row) => row.modifiedGmt < modified },
    author: { args: where(`author: { in: [${author}] }`), passes: (row) => row.authorId === author },
    author_exclude: { args: where(`author: { notIn: [${author}] }`), passes: (row) => row.authorId !== author },
    include: { args: where(`id: { in: [${first.databaseId}, ${second.databaseId}] }`), passes: (row) => row === first || row === second },
    exclude: { args: where(`id: { notIn: [${first.databaseId}] }`), passes: (row) => row !== first },
    menu_order: { args: where(`menuOrder: ${first.menuOrder ?? 3}`), passes: (row) => (row.menuOrder ?? null) === (first.menuOrder ?? 3) },
    slug: { args: where(`slug: ["${second.slug}"]`), passes: (row) => row === second },
    status: { args: where('status: [DRAFT]'), sends: 'draft' },
    parent: { args: where(`parent: { in: [${parent}] }`), passes: (row) => row.parentId === parent },
    parent_exclude: { args: where(`parent: { notIn: [${parent}] }`), passes: (row) => row.parentId !== parent },
    course: { args: where(`course: ${COURSE}`) },
    lesson: { args: where(`course: ${COURSE}, courseLevelOnly: true`), sends: '0' },
    topic: { args: where(`course: ${COURSE}, topic: 400001`), sends: '400001' },
  }
  if (param in cases) return cases[param]
  const { filter, ids } = taxonomy(param.replace(/_exclude$/, ''))
  const term = rows.flatMap((row) => row[ids] ?? [])[0]
  if (param === 'tax_relation') {
    const tag = rows.flatMap(({ tagIds }) => tagIds)[0]
    const category = rows.flatMap(({ categoryIds }) => categoryIds).at(-1)
    const args = where(`taxRelation: OR, tags: { in: [${tag}] }, categories: { in: [${category}] }`)
    return { args, passes: (row) => row.tagIds.includes(tag) || row.categoryIds.includes(category), sends: 'OR' }
  }
  const not = param.endsWith('_exclude')
  return {
    args: where(`${filter}: { ${not ? 'notIn' : 'in'}: [${term}] }`),
    passes: (row) => row[ids].includes(term) !== not,
    sends: String(term),
  }
}

/** Treatment of a parameter that the site ignores: the gateway filters instead, refuses it, or it has another meaning. */
type Oddity = 'filtered here' | 'refused' | 'finds nothing'

/** Such parameters of a list. */
function oddities(list: string): Readonly<Record<string, Oddity>> {
  const name = `parameters of ${list}`
  return isOtherwise(name) ? otherwise(name, {}) : {}
}

/**
 * Lists whose windows go by `page`; those of all others go by `offset`, which says the same more exactly. There `page` is only sent to
 * read on in a batch by `include` that the site has cut: see the tests of a hostile site.
 */
const BY_PAGE = ['users/<id>/course-progress']

/** Values of a parameter in calls of a list, or of single records of it. */
const sentIn = (calls: readonly string[], path: string, param: string): string[] =>
  calls.flatMap((call) => {
    const url = new URL(call, 'http://x')
    return url.pathname === path || url.pathname.replace(/\/\d+$/, '') === path ? url.searchParams.getAll(param) : []
  })

it.each(Object.keys(LISTS))('every list parameter of %s can be sent', async (name) => {
  const list = LISTS[name]!
  const isProgress = list.id === 'courseId'
  const parameters = listParameters[name]!
  const own = parameters.filter((param) => /^lms_\w+_(category|tag)$/.test(param)).map((param) => taxonomy(param).ids)
  const extra = [
    ...(parameters.includes('tags') ? ['categoryIds tagIds'] : []),
    ...own,
    ...(parameters.includes('menu_order') && name !== 'groups' ? ['menuOrder'] : []),
    ...(name === 'groups' ? ['parentId'] : []),
  ]
  const fields = isProgress ? 'courseId' : `databaseId ${FIELDS} ${extra.join(' ')}`
  const { rows } = await ask(list, 'first: 2000', fields)
  const odd = oddities(name)
  const byStatus = !isProgress && odd.status === undefined
  const all = byStatus ? (await ask(list, 'first: 2000, where: { status: [ANY] }', fields)).rows : rows
  const reached: string[] = []
  const elsewhere: string[] = []
  for (const param of parameters) {
    const progressCases: Readonly<Record<string, Case>> = {
      include: { args: `first: 2000, where: { course: { in: [${rows[4]!.courseId}] } }`, passes: (row) => row === rows[4] },
      exclude: { args: `first: 2000, where: { course: { notIn: [${rows[4]!.courseId}] } }`, passes: (row) => row !== rows[4] },
    }
    const test = windowCase(param, rows, list.id) ?? (isProgress ? progressCases[param] : filterCase(param, rows, all))
    if (!test) throw new Error(`There is no case for ${param}.`)
    if (odd[param] === 'refused') {
      await expectRefused(list, test.args)
      reached.push(param)
      continue
    }
    const answer = await ask(list, test.args, [list.id, isProgress ? '' : (test.fields ?? '')].join(' '))
    const sent = sentIn(answer.calls, list.path, param)
    if (sent.length === 0 && param === 'page') {
      elsewhere.push(param)
      continue
    }
    expect([param, sent.length > 0]).toEqual([param, odd[param] !== 'filtered here'])
    if (test.sends !== undefined) expect([param, sent]).toEqual([param, expect.arrayContaining([test.sends])])
    const ids = answer.rows.map((row) => row[list.id])
    if (test.ids) expect([param, ids]).toEqual([param, test.ids(rows)])
    else if (test.passes) {
      const wanted = odd[param] === 'finds nothing' ? [] : rows.filter(test.passes).map((row) => row[list.id])
      const difference = { lacking: wanted.filter((id) => !ids.includes(id)), besides: ids.filter((id) => !wanted.includes(id)) }
      expect([param, difference]).toEqual([param, { lacking: [], besides: [] }])
    }
    // The response differs from the response without the parameter.
    expect([param, JSON.stringify(ids) === JSON.stringify(rows.map((row) => row[list.id]))]).toEqual([param, false])
    reached.push(param)
  }
  console.log(`${name}: ${reached.length} of ${parameters.length}${elsewhere.length > 0 ? `; besides ${elsewhere.join(', ')}` : ''}`)
  expect(reached.length + elsewhere.length).toBe(parameters.length)
  expect(elsewhere).toEqual(BY_PAGE.includes(name) ? [] : ['page'])
})

/** What is selected to have each value of `context` sent, by route; `edit` is never asked of a list, but of its records by id. */
const CONTEXTS: Readonly<Record<string, { query: string; edit?: string; editPath?: string }>> = {
  groups: { query: '{ groups(first: 2) { nodes { FIELDS } } }', edit: 'password', editPath: '/lms/v1/groups' },
  'sfwd-courses': { query: '{ courses(first: 2) { nodes { FIELDS } } }', edit: 'password', editPath: '/lms/v1/sfwd-courses' },
  'sfwd-quiz': { query: '{ quizzes(first: 2) { nodes { FIELDS } } }', edit: 'password', editPath: '/lms/v1/sfwd-quiz' },
  'sfwd-lessons': { query: '{ lessons(first: 2) { nodes { FIELDS } } }', edit: 'password', editPath: '/lms/v2/sfwd-lessons' },
  'groups/<id>/courses': {
    query: `{ group(id: ${group}) { courses(first: 2) { nodes { FIELDS } } } }`,
    edit: 'password',
    editPath: '/lms/v1/sfwd-courses',
  },
  'users/<id>/course-progress': { query: `{ user(id: ${user}) { courseProgress(first: 2) { nodes { FIELDS } } } }` },
  'price-types': { query: '{ priceTypes { FIELDS } }' },
}

it.each(Object.keys(listParameters))('every value of `context` is sent to %s when the selection needs it', async (name) => {
  const { query, edit, editPath } = CONTEXTS[name]!
  const path = LISTS[name]?.path ?? '/lms/v2/price-types'
  const small = name === 'price-types' ? 'name' : name.startsWith('users') ? 'status' : 'title'
  const large = name === 'price-types' ? 'description' : name.startsWith('users') ? 'stepsTotal' : 'modified'
  const contexts = async (on: World, fields: string, of: string) => {
    const { errors, calls } = await on.query(query.replace('FIELDS', fields), { as: 'admin' })
    expect(errors).toEqual([])
    return sentIn(calls, of, 'context')
  }
  const unfiltered = await World.start({ tuning: { site: defineSite(world.lms.url, { ...ALL_COLUMNS_SITE[1], fieldFilter: null }) } })
  try {
    expect(await contexts(world, small, path)).toEqual(['view'])
    const contextOfAll = `context of ${name} without a field filter`
    expect(await contexts(unfiltered, small, path)).toEqual(isOtherwise(contextOfAll) ? otherwise(contextOfAll, ['embed']) : ['embed'])
    expect(await contexts(unfiltered, `${small} ${large}`, path)).toEqual([name === 'price-types' ? 'embed' : 'view'])
    if (edit) expect(await contexts(world, `${small} ${edit}`, editPath as string)).toContain('edit')
    console.log(`context of ${name}: view, embed${edit ? `, edit (on ${editPath})` : ' (the interface has no edit here)'}`)
  } finally {
    await unfiltered.close()
  }
})

it('every list of the contract is tested', () => {
  expect([...Object.keys(LISTS), 'price-types'].sort()).toEqual(Object.keys(listParameters).sort())
  expect(listParameters['price-types']).toEqual(['context'])
})
