import { expect, it } from 'vitest'
import {
  addPostFields,
  batchByIds,
  classAndMetaColumns,
  contentColumns,
  defineResource,
  LmsContent,
  postColumns,
  postList,
  rightColumns,
  taxonomyColumns,
} from '../../src/kit.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf } from '../support/world.js'

const essayList = postList('Essay', { path: 'v2/essays', filters: {}, orders: {} })
const remarkList = postList('Remark', { path: 'v2/remarks', filters: {}, orders: {} })

const essays = defineResource('essays', (builder) => {
  const Essay = builder.lmsNodeRef('Essay', {
    columns: { ...contentColumns, ...rightColumns, ...taxonomyColumns },
    load: batchByIds(essayList),
  })
  Essay.implement({ description: 'An essay.', interfaces: [LmsContent] })
  addPostFields(Essay)
  builder.queryField('essays', (t) => t.lmsConnection(Essay, { list: essayList, description: 'Essays.' }))
  const columns = { databaseId: postColumns.databaseId, classList: classAndMetaColumns.classList }
  const Remark = builder.lmsNodeRef('Remark', { columns, load: batchByIds(remarkList) })
  Remark.implement({ description: 'A remark.' })
  addPostFields(Remark)
  builder.queryField('remarks', (t) => t.lmsConnection(Remark, { list: remarkList, description: 'Remarks.' }))
})

const ROWS: Readonly<Record<string, object>> = {
  essays: {
    id: 1,
    title: { rendered: 'One' },
    author: 5,
    featured_media: 7,
    categories: [9, 8],
    _links: { self: [{ href: 'https://site.example/1', targetHints: { allow: ['GET', 'POST'] } }] },
  },
  users: { id: 5, name: 'Ann' },
  media: { id: 7, source_url: 'https://site.example/x.png' },
  categories: { id: 9, name: 'Art' },
}

it('a type has the relations of its columns, and the rights of the viewer where it has their column', async () => {
  const site = await FakeSite.start(({ url = '' }, response) => {
    const row = ROWS[/\/(\w+)\?/.exec(url)?.[1] ?? '']
    json(response, row ? [row] : [], { headers: { 'x-wp-total': '1', 'x-wp-totalpages': '1' } })
  })
  const gateway = await serve({ site: { url: site.url, routes: ['users', 'media', 'terms'] }, resources: [essays] })
  try {
    const query = `{
      essays { nodes { title author { name } featuredImage { url } categories { name } tags { name } viewerCanUpdate viewerCanDelete } }
      remark: __type(name: "Remark") { fields { name } }
    }`
    const { data, errors } = (await (await gateway.post({ query }, { authorization: authorizationOf('admin') })).json()) as any
    expect(errors).toBeUndefined()
    expect(data.essays.nodes).toEqual([
      {
        title: 'One',
        author: { name: 'Ann' },
        featuredImage: { url: 'https://site.example/x.png' },
        categories: [{ name: 'Art' }, null],
        tags: [],
        viewerCanUpdate: true,
        viewerCanDelete: false,
      },
    ])
    expect(data.remark.fields.map(({ name }: { name: string }) => name)).toEqual(['id', 'databaseId', 'classList'])
  } finally {
    await gateway.close()
    await site.close()
  }
})
