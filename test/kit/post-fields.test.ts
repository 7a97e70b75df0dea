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

const paperList = postList('Paper', { path: 'v2/papers', filters: {}, orders: {} })
const noteList = postList('Note', { path: 'v2/notes', filters: {}, orders: {} })

const papers = defineResource('papers', (builder) => {
  const Paper = builder.lmsNodeRef('Paper', {
    columns: { ...contentColumns, ...rightColumns, ...taxonomyColumns },
    load: batchByIds(paperList),
  })
  Paper.implement({ description: 'A paper.', interfaces: [LmsContent] })
  addPostFields(Paper)
  builder.queryField('papers', (t) => t.lmsConnection(Paper, { list: paperList, description: 'Papers.' }))
  const columns = { databaseId: postColumns.databaseId, classList: classAndMetaColumns.classList }
  const Note = builder.lmsNodeRef('Note', { columns, load: batchByIds(noteList) })
  Note.implement({ description: 'A note.' })
  addPostFields(Note)
  builder.queryField('notes', (t) => t.lmsConnection(Note, { list: noteList, description: 'Notes.' }))
})

const ROWS: Readonly<Record<string, object>> = {
  papers: {
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
  const gateway = await serve({ site: { url: site.url, routes: ['users', 'media', 'terms'] }, resources: [papers] })
  try {
    const query = `{
      papers { nodes { title author { name } featuredImage { url } categories { name } tags { name } viewerCanUpdate viewerCanDelete } }
      note: __type(name: "Note") { fields { name } }
    }`
    const { data, errors } = (await (await gateway.post({ query }, { authorization: authorizationOf('admin') })).json()) as any
    expect(errors).toBeUndefined()
    expect(data.papers.nodes).toEqual([
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
    expect(data.note.fields.map(({ name }: { name: string }) => name)).toEqual(['id', 'databaseId', 'classList'])
  } finally {
    await gateway.close()
    await site.close()
  }
})
