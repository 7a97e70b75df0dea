import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchByIds, classAndMetaColumns, defineResource, type ListRoute, postColumns, postList } from '../../src/kit.js'
import { SECRET, signed } from '../support/hooks.js'
import { World } from '../support/world.js'

const columns = {
  databaseId: postColumns.databaseId,
  title: postColumns.title,
  classList: classAndMetaColumns.classList,
}
const bare = { path: 'v1/groups', window: 'offset', filters: {}, orders: {} } as const

/** Three types of one route: with the tags of post-like lists, with tags of its own, and without any. */
const LISTS: Readonly<Record<string, ListRoute>> = {
  Assignment: postList('Assignment', { path: 'v1/groups', filters: {}, orders: {} }),
  Opening: { ...bare, tags: { change: 'opening', ofRead: () => ({ type: 'Opening', tags: ['opening', 'courses'] }) } },
  Notice: bare,
}

const tagged = defineResource('tagged', (builder) => {
  for (const [type, list] of Object.entries(LISTS)) {
    const ref = builder.lmsNodeRef(type, { columns, load: batchByIds(list) })
    ref.implement({ description: 'A group.' })
    builder.queryField(`${type.toLowerCase()}s`, (t) => t.lmsConnection(ref, { list, description: 'Groups.' }))
    builder.queryField(type.toLowerCase(), (t) =>
      t.lmsRelation(ref, {
        description: 'A group.',
        args: { id: t.arg.int({ required: true, description: 'Its id.' }) },
        parse: ({ id }) => id,
        key: (_, id) => id,
      }),
    )
  }
})

const READS = {
  assignment: '{ assignment(id: 1001) { title } }',
  'other assignment': '{ assignment(id: 1002) { title } }',
  assignments: '{ assignments(first: 2) { nodes { databaseId title } } }',
  'classes of assignments': '{ assignments(first: 2) { nodes { databaseId classList } } }',
  openings: '{ openings(first: 3) { nodes { databaseId title } } }',
  notices: '{ notices(first: 4) { nodes { databaseId title } } }',
} as const

type Read = keyof typeof READS
const ALL = Object.keys(READS) as Read[]

let world: World
let without: World
beforeAll(async () => {
  const options = { cache: { maxAge: 600 }, hooks: { secret: SECRET } }
  world = await World.start({ ...options, resources: [tagged] }, { profile: 'lms' })
  without = await World.start(options, { profile: 'lms' })
})
afterAll(async () => {
  await world.close()
  await without.close()
})

/** A delivery is accepted once, so each has a member of its own, which is ignored. */
let deliveries = 0
async function report(change: object, to: World = world): Promise<Response> {
  const body = JSON.stringify({ ...change, delivery: ++deliveries })
  return fetch(`${to.gateway.url}/hooks/site`, { method: 'POST', headers: signed(body), body })
}

/** The reads that are not answered by the cache. */
async function readAnew(): Promise<Read[]> {
  const found: Read[] = []
  for (const name of ALL) {
    const { errors, calls } = await world.query(READS[name])
    expect(errors).toEqual([])
    if (calls.length > 0) found.push(name)
  }
  return found
}

describe('reads of a resource from outside', () => {
  it('are answered by the cache', async () => {
    expect(await readAnew()).toEqual(ALL)
    expect(await readAnew()).toEqual([])
  })

  it.each<[what: string, change: object, dropped: readonly Read[]]>([
    [
      'its record, as post-like lists have it',
      { type: 'assignment', id: 1001, kind: 'updated', columns: ['title'] },
      ['assignment', 'assignments', 'classes of assignments', 'notices'],
    ],
    [
      'who may see what',
      { type: 'lesson', id: 100_001, kind: 'updated', columns: ['slug'] },
      ['assignment', 'other assignment', 'assignments', 'classes of assignments', 'notices'],
    ],
    ['terms that its columns show', { type: 'term', id: 1, kind: 'updated' }, ['classes of assignments', 'notices']],
    ['what its own tags name', { type: 'course', id: 10_001, kind: 'updated', columns: ['title'] }, ['openings', 'notices']],
    ['its record, as its own tags name it', { type: 'opening', kind: 'updated', columns: ['title'] }, ['openings', 'notices']],
    ['anything', { type: 'site', kind: 'updated' }, ALL],
  ])('are made anew after a change of %s', async (_, change, dropped) => {
    await readAnew()
    expect((await report(change)).status).toBe(204)
    expect(await readAnew()).toEqual(dropped)
    expect(await readAnew()).toEqual([])
  })

  it('have a type of changes of their own only in gateways with the resource', async () => {
    const response = await report({ type: 'assignment', id: 1001, kind: 'updated' }, without)
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/must be one of group, course, .*, site\./)])
  })

  it('are kept by the name of their type', async () => {
    const only = await World.start({ cache: { maxAge: { Assignment: 600 } }, resources: [tagged] }, { profile: 'lms' })
    try {
      for (const query of [READS.assignments, READS.openings]) await only.query(query)
      expect((await only.query(READS.assignments)).calls).toEqual([])
      expect((await only.query(READS.openings)).calls).toHaveLength(1)
    } finally {
      await only.close()
    }
  })
})

it('refuses tags of a type whose name has another meaning in changes', () => {
  expect(() => postList('Term', { path: 'v1/groups', filters: {}, orders: {} })).toThrow('`term`')
})
