import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { contract, type Json, SITE, total, useLms } from './world.js'

const { get, list, ids } = useLms()

const PATHS: Readonly<Record<string, string>> = {
  groups: '/lms/v1/groups',
  'sfwd-courses': '/lms/v1/sfwd-courses',
  'sfwd-quiz': '/lms/v1/sfwd-quiz',
  'sfwd-lessons': '/lms/v2/sfwd-lessons',
  'groups/<id>/courses': `/lms/v2/groups/${SAMPLES.largeGroup}/courses`,
}

async function all(path: string): Promise<Json[]> {
  const first = await get(`${path}per_page=100`)
  const records: Json[] = [...first.body]
  for (let page = 2; page <= Number(first.headers.get('x-wp-totalpages')); page++)
    records.push(...(await list(`${path}per_page=100&page=${page}`)))
  return records
}

/** The first hundred ids of a list, and its total. */
async function top(path: string): Promise<{ ids: number[]; total: number }> {
  const answer = await get(`${path}_filter=id&per_page=100`)
  return { ids: answer.body.map(({ id }: Json) => id), total: total(answer) }
}

const topOf = (records: readonly Json[]) => ({ ids: records.slice(0, 100).map(({ id }) => id as number), total: records.length })

/** A query, and whether it must find a published record. */
type Case = readonly [query: string, passes: (record: Json) => boolean]

const published = (record: Json): boolean => record.status === 'publish'
const has = (record: Json, word: string): boolean => `${record.title.raw} ${record.content.raw}`.toLowerCase().includes(word)

function termCases(field: string, records: readonly Json[]): Case[] {
  const [one, two] = [...new Set(records.flatMap((record) => record[field] as number[]))]
  const any = (record: Json, ...terms: (number | undefined)[]): boolean => terms.some((term) => record[field].includes(term))
  return [
    [`${field}=${one}`, (record) => any(record, one)],
    [`${field}=${one},${two}`, (record) => any(record, one, two)],
    [`${field}_exclude=${one}`, (record) => !any(record, one)],
  ]
}

/** Cases for a filter. */
function casesOf(parameter: string, records: readonly Json[]): readonly Case[] | undefined {
  const [first, second, third] = records.filter(published) as [Json, Json, Json]
  const middle = records.map(({ date_gmt }) => date_gmt).sort()[Math.floor(records.length / 2)]
  const changed = records.map(({ modified_gmt }) => modified_gmt).sort()[Math.floor(records.length / 2)]
  const parents = records.map(({ parent }) => parent).filter((parent) => parent > 0)
  const cases: Readonly<Record<string, readonly Case[]>> = {
    search: [
      ['search=learn glossary', (record) => has(record, 'learn') && has(record, 'glossary')],
      ['search=LEVEL&search_columns=post_title', (record) => record.title.raw.toLowerCase().includes('level')],
      ['search=100%25', () => false],
    ],
    search_semantics: [
      [`search=${encodeURIComponent(first.title.raw)}&search_semantics=exact`, (record) => record.title.raw === first.title.raw],
      ['search=the&search_semantics=exact', () => false],
    ],
    search_columns: [
      ['search=glossary&search_columns=post_content', (record) => record.content.raw.includes('glossary')],
      ['search=and&search_columns[]=post_title', (record) => record.title.raw.toLowerCase().includes('and')],
      ['search=explained&search_columns=post_excerpt', () => true],
    ],
    after: [[`after=${middle}Z`, (record) => record.date_gmt > middle]],
    before: [
      [`before=${middle}Z`, (record) => record.date_gmt < middle],
      [`before=${records[0]!.date}`, (record) => record.date_gmt < records[0]!.date_gmt],
    ],
    modified_after: [[`modified_after=${changed}%2B00:00`, (record) => record.modified_gmt > changed]],
    modified_before: [[`modified_before=${changed}Z`, (record) => record.modified_gmt < changed]],
    author: [[`author=${first.author},${second.author}`, ({ author }) => author === first.author || author === second.author]],
    author_exclude: [[`author_exclude[]=${first.author}`, ({ author }) => author !== first.author]],
    exclude: [[`exclude[0]=${first.id}&exclude[1]=${third.id}`, ({ id }) => id !== first.id && id !== third.id]],
    include: [
      [`include=${first.id},${third.id},${first.id},5`, ({ id }) => id === first.id || id === third.id],
      ['include=', () => true],
    ],
    parent: [[`parent=${parents[0]}`, ({ parent }) => parent === parents[0]]],
    parent_exclude: [[`parent_exclude=${parents[0]},0`, ({ parent }) => parent !== parents[0] && parent !== 0]],
    slug: [[`slug=${first.slug},${second.slug}`, ({ slug }) => slug === first.slug || slug === second.slug]],
  }
  if (parameter === 'menu_order' && 'menu_order' in first)
    return [[`menu_order=${first.menu_order}`, ({ menu_order }) => menu_order === first.menu_order]]
  if (parameter in first && Array.isArray(first[parameter])) return termCases(parameter, records)
  return cases[parameter]
}

describe.each(Object.entries(PATHS))('%s', (name, path) => {
  const parameters = contract.listParameters[name]!
  // Parameters that are not filters of the record alone. Each has a test of its own below.
  const others = ['context', 'page', 'per_page', 'offset', 'order', 'orderby', 'status', 'tax_relation', 'course', 'lesson', 'topic']

  it('filters by each of its parameters', async () => {
    const records = await all(`${path}?context=edit&status=any&`)
    const untested: string[] = []
    for (const parameter of parameters.filter((known) => !others.includes(known) && !known.endsWith('_exclude'))) {
      const cases = casesOf(parameter, records)
      if (!cases) untested.push(parameter)
      for (const [query, passes] of cases ?? []) {
        const expected = records.filter((record) => published(record) && passes(record))
        expect([query, await top(`${path}?${query}&`)]).toEqual([query, topOf(expected)])
      }
    }
    // Groups accept menu_order, but do not show it.
    expect(untested).toEqual(name === 'groups' ? ['menu_order'] : [])
  })

  it('joins taxonomy filters by tax_relation', async () => {
    if (!parameters.includes('tax_relation')) return
    const records = await all(`${path}?_filter=tags,${parameters.filter((parameter) => /^lms_\w+_tag$/.test(parameter))}&`)
    const own = parameters.find((parameter) => /^lms_\w+_tag$/.test(parameter))!
    const sample = records.find((record) => record.tags.length && record[own].length)!
    const [tag, term] = [sample.tags[0], sample[own][0]]
    const query = `${path}?tags=${tag}&${own}=${term}&_filter=id&`
    const both = records.filter((record) => record.tags.includes(tag) && record[own].includes(term))
    const either = records.filter((record) => record.tags.includes(tag) || record[own].includes(term))
    expect(either.length).toBeGreaterThan(both.length)
    const count = async (relation: string) => (await all(`${query}${relation}`)).length
    expect([await count(''), await count('tax_relation=AND&'), await count('tax_relation=OR&')]).toEqual([
      both.length,
      both.length,
      either.length,
    ])
  })

  it('filters by status', async () => {
    const records = await all(`${path}?status=any&_filter=status&`)
    const count = async (status: string) => (await top(`${path}?status=${status}&`)).total
    const statuses = [...new Set(records.map(({ status }) => status))]
    expect(statuses).not.toContain('trash')
    for (const status of statuses) {
      expect(await count(status)).toBe(records.filter((record) => record.status === status).length)
    }
    expect((await all(`${path}?status=publish,draft&`)).length).toBe(
      records.filter(({ status }) => ['publish', 'draft'].includes(status)).length,
    )
    expect((await list(`${path}?per_page=100`)).every(published)).toBe(true)
  })

  it('sorts by title or `orderby`, with ties broken by id', async () => {
    const records = await all(`${path}?context=edit&_filter=id,author,date_gmt,modified_gmt,menu_order,parent,slug,title.raw&`)
    const known = name === 'groups' ? [] : ['menu_order']
    for (const orderby of ['', 'author', 'date', 'id', 'modified', 'parent', 'slug', 'title', ...known]) {
      const value = (record: Json): string | number => {
        if (orderby === '' || orderby === 'title') return record.title.raw.replace(/[A-Z]/g, (letter: string) => letter.toLowerCase())
        return orderby === 'parent' ? (record.parent ?? 0) : record[{ date: 'date_gmt', modified: 'modified_gmt' }[orderby] ?? orderby]
      }
      const compare = (a: Json, b: Json): number => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.id - b.id)
      const sorted = records.toSorted(compare)
      const query = orderby && `orderby=${orderby}&`
      // SQLite compares text by its UTF-8 bytes, JavaScript by UTF-16 units: the same for the letters of the sample school.
      expect([orderby, await top(`${path}?${query}`)]).toEqual([orderby, topOf(sorted)])
      expect(await top(`${path}?${query}order=desc&`)).toEqual(topOf(sorted.toReversed()))
    }
  })

  it('sorts in the order of include and slug', async () => {
    const records = await list(`${path}?per_page=3`)
    const asked = [records[2]!, records[0]!, records[1]!]
    const expected = asked.map(({ id }) => id)
    expect(await ids(`${path}?orderby=include&include=${expected}`)).toEqual(expected)
    expect(await ids(`${path}?orderby=include_slugs&slug=${asked.map(({ slug }) => slug)}`)).toEqual(expected)
    expect((await get(`${path}?orderby=include`)).body.code).toBe('rest_orderby_include_missing_include')
    expect((await get(`${path}?orderby=relevance`)).body.code).toBe('rest_no_search_term_defined')
    expect((await list(`${path}?orderby=relevance&search=learn`)).length).toBeGreaterThan(0)
  })

  it('has pages without gaps, with totals and links', async () => {
    const everything = (await all(`${path}?_filter=id&`)).map(({ id }) => id)
    const size = Math.min(100, Math.ceil(everything.length / 4))
    const pages = Math.ceil(everything.length / size)
    const found: number[] = []
    for (let page = 1; page <= pages; page++) {
      const answer = await get(`${path}?_filter=id&per_page=${size}&page=${page}`)
      expect(total(answer)).toBe(everything.length)
      expect(answer.headers.get('x-wp-totalpages')).toBe(String(pages))
      const link = answer.headers.get('link') ?? ''
      expect([link.includes('rel="prev"'), link.includes('rel="next"')]).toEqual([page > 1, page < pages])
      if (page === 2) expect(link).toContain(`<${SITE}${path}?_filter=id&per_page=${size}&page=1>; rel="prev"`)
      found.push(...answer.body.map(({ id }: Json) => id))
    }
    expect(found).toEqual(everything)
    expect((await list(`${path}`)).length).toBe(10)
    expect(await ids(`${path}?offset=3&per_page=4&page=2`)).toEqual(everything.slice(3, 7))
  })

  it('answers pages and offsets behind the end like real sites', async () => {
    const behind = await get(`${path}?page=999`)
    expect([behind.status, behind.body.code]).toEqual([400, 'rest_post_invalid_page_number'])
    const offset = await get(`${path}?offset=9999`)
    expect([offset.status, offset.body, total(offset)]).toEqual([200, [], 0])
    const nothing = await get(`${path}?include=5&page=7`)
    expect([nothing.status, nothing.body, total(nothing), nothing.headers.get('x-wp-totalpages')]).toEqual([200, [], 0, '0'])
  })
})
