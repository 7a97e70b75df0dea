import { readFileSync } from 'node:fs'
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayOptions, graphSchema } from '../../src/index.js'
import type { LmsOptions } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { globalId } from '../support/global-id.js'
import { LEARNER, MarkedSchool, POSTS, QUESTION } from '../support/marked-school.js'
import { merged } from '../support/merged.js'
import type { PassedCall } from '../support/recording-proxy.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { subjectsOf } from '../support/roles/matrix.js'
import { type Served, serve, shortPath } from '../support/served.js'
import { authorizationOf, CANDID, SOAK } from '../support/world.js'
import { AUDIENCE, ISSUER } from './issuer.js'

const KEY = 'some-key-0123456789'
const SECRET = 'a shared secret of more than 32 bytes'

const tokenWith = async (claims: Record<string, unknown>): Promise<string> =>
  `Bearer ${await new SignJWT({ iss: ISSUER, aud: AUDIENCE, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(Buffer.from(SECRET))}`

/** Callers by name, with the headers that they send. */
const ADMINISTRATORS = {
  'a token with the claim': async () => ({ authorization: await tokenWith({ sub: '1', roles: ['admin'] }) }),
  'an API key': async () => ({ 'x-api-key': KEY }),
}
const OTHERS = {
  'a token without the claim': async () => ({ authorization: await tokenWith({ sub: String(LEARNER) }) }),
  'an API key beside such a token': async () => ({ 'x-api-key': KEY, authorization: await tokenWith({ sub: String(LEARNER) }) }),
  'nobody, where the gateway is open': async () => ({}),
}
type Headers = Readonly<Record<string, string>>

const SERVICE: Partial<GatewayOptions> = merged(CANDID, {
  site: { user: 'admin', password: 'admin-demo' },
  access: { apiKeys: [KEY], open: true, jwtKey: SECRET, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
  observe: { explainFor: ['everybody'] },
  tuning: { explainOthersFor: ['everybody'], limits: { maxSelections: 100_000, maxErrors: 10_000 } },
  limits: { maxCalls: 10_000, maxAliases: 100_000, maxTokens: 1_000_000 },
})

/** Selects all fields of a type that need no arguments: leaves everywhere, and other records down to a depth. */
function everything(schema: GraphQLSchema, type: GraphQLNamedType, depth: number, prefix = ''): string {
  if (isAbstractType(type))
    return `__typename ${schema.getPossibleTypes(type).map((each) => `... on ${each.name} { ${everything(schema, each, depth, each.name)} }`)}`
  if (!isObjectType(type)) return ''
  const fields = Object.values(type.getFields()).flatMap((field) => selected(schema, field, depth, prefix))
  return ['__typename', ...fields].join(' ')
}

function selected(schema: GraphQLSchema, { name, args, type }: GraphQLField<unknown, unknown>, depth: number, prefix: string): string[] {
  if (args.some(isRequiredArgument)) return []
  const named = getNamedType(type)
  const key = prefix === '' ? name : `${prefix}_${name}: ${name}`
  if (isLeafType(named)) return [key]
  const left = ['edges', 'nodes', 'node', 'pageInfo'].includes(name) ? depth : depth - 1
  if (left < 0) return []
  return [`${key}${args.some((arg) => arg.name === 'first') ? '(first: 20)' : ''} { ${everything(schema, named, left)} }`]
}

/** An operation, and the way in which it reaches records. */
interface Way {
  readonly way: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

const aliased = (fields: readonly string[]): string => fields.map((field, index) => `a${index}: ${field}`).join(' ')

/** Each way to records of each type. */
function waysTo(schema: GraphQLSchema, { records }: MarkedSchool): Way[] {
  const all = (type: string, depth = 1): string => `{ ${everything(schema, schema.getType(type) as GraphQLNamedType, depth)} }`
  const ways: Way[] = []
  const add = (way: string, ...fields: readonly string[]): void => void ways.push({ way, query: `{ ${aliased(fields)} }` })
  for (const { type, one, many } of POSTS) {
    const { open, locked, hidden } = records[type]
    const ids = [open, locked, ...Object.values(hidden)]
    const global = ids.map((id) => globalId(type, id))
    const slugs = [`open-${one}`, `locked-${one}`, ...Object.keys(hidden).map((status) => `qx${one}${status}`)]
    const nodes = `{ totalCount nodes ${all(type, 0)} }`
    add(`${one} by id, with relations`, ...ids.map((id) => `${one}(id: ${id}) ${all(type)}`))
    for (const id of [open, locked, hidden.draft, hidden.trash]) add(`${one} ${id} alone`, `${one}(id: ${id}) ${all(type, 0)}`)
    add(`${one} by slug`, ...slugs.map((slug) => `${one}(slug: "${slug}") ${all(type, 0)}`))
    for (const slug of slugs.slice(0, 3)) add(`${one} ${slug} alone`, `${one}(slug: "${slug}") ${all(type, 0)}`)
    add(`${one} by password`, ...ids.map((id) => `${one}(id: ${id}, password: "wrong") ${all(type, 0)}`))
    add(`node of ${type}`, ...global.map((id) => `node(id: "${id}") { ... on ${type} ${all(type, 0)} }`))
    add(`nodes of ${type}`, `nodes(ids: ${JSON.stringify(global)}) { ... on ${type} ${all(type, 0)} }`)
    add(`${many} by id`, `${many}(first: 50, where: { id: { in: [${ids}] } }) ${nodes}`)
    add(`${many} by slug`, `${many}(first: 50, where: { slug: ${JSON.stringify(slugs)} }) ${nodes}`)
    add(`${many} latest first`, `${many}(first: 20, orderBy: { field: ID, direction: DESC }) ${nodes}`)
    add(`${many} from the end`, `${many}(last: 20, orderBy: { field: ID }) ${nodes}`)
    add(`${many} found`, ...['T', `qx${one}draft`].map((text) => `${many}(first: 20, where: { search: "${text}" }) ${nodes}`))
    const statuses = schema.getType('PostStatusFilter')
    for (const { name } of isEnumType(statuses) ? statuses.getValues() : [])
      add(`${many} with the status ${name}`, `${many}(first: 10, where: { status: [${name}] }) ${nodes}`)
    add(`${many} with several statuses`, `${many}(first: 10, where: { status: [PUBLISH, DRAFT] }) ${nodes}`)
  }
  const { Course, Lesson } = records
  const drafts = Object.values(Course.hidden)
  add(
    'lessons and quizzes of unpublished courses',
    ...drafts.flatMap((id) =>
      ['lessons', 'quizzes'].map((many) => `${many}(where: { course: ${id} }) { nodes ${all(many === 'lessons' ? 'Lesson' : 'Quiz', 0)} }`),
    ),
  )
  add('lessons of a course', ...Object.values(Lesson.hidden).map((id) => `lesson(id: ${id}, course: ${Course.open}) ${all('Lesson', 0)}`))
  add('question', `question(id: ${QUESTION}) ${all('Question')}`)
  add('node of Question', `node(id: "${globalId('Question', QUESTION)}") { ... on Question ${all('Question')} }`)
  add('nodes of Question', `nodes(ids: ["${globalId('Question', QUESTION)}"]) { ... on Question ${all('Question')} }`)
  add('user', `user(id: ${LEARNER}) ${all('User', 2)}`)
  add('viewer', `viewer ${all('User', 2)}`)
  add(
    'progress',
    ...drafts.map(
      (id) => `node(id: "${globalId('CourseProgress', `${LEARNER}:${id}`)}") { ... on CourseProgress ${all('CourseProgress')} }`,
    ),
  )
  add('price types', `priceTypes ${all('PriceType')}`)
  return ways
}

/** References of another subgraph to each record. */
function references({ records }: MarkedSchool): Way[] {
  const schema = graphSchema()
  return [...POSTS.map(({ type }) => type), 'Question' as const].map((type) => {
    const ids = type === 'Question' ? [QUESTION] : [records[type].open, records[type].locked, ...Object.values(records[type].hidden)]
    const slugs = type === 'Question' ? [] : Object.keys(records[type].hidden).map((status) => `qx${type.toLowerCase()}${status}`)
    const representations = [
      ...ids.flatMap((id) => [{ databaseId: id }, { id: globalId(type, id) }]),
      ...slugs.map((slug) => ({ slug })),
    ].map((key) => ({ __typename: type, ...key }))
    return {
      way: `_entities of ${type}`,
      query: `query($representations: [_Any!]!) { _entities(representations: $representations) { ... on ${type} { ${everything(schema, schema.getType(type) as GraphQLNamedType, 0)} } } }`,
      variables: { representations },
    }
  })
}

/** Each mutation, with all fields of its result. */
function mutations(schema: GraphQLSchema, { records }: MarkedSchool): Way[] {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {})
  return fields.map(({ name, args, type }) => {
    const input = getNamedType(args[0]?.type)
    const given = isInputObjectType(input) ? Object.keys(input.getFields()) : []
    const post = POSTS.find((each) => name.includes(each.type)) ?? POSTS[0]
    const { draft } = records[post.type].hidden
    const values = {
      ...(given.includes('id') && { id: draft }),
      ...(given.includes('courseIds') && { courseIds: [records.Course.hidden.draft] }),
      ...(given.includes('template') && { template: '' }),
    }
    const text = Object.entries(values).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    return { way: name, query: `mutation { it: ${name}(input: { ${text} }) { ${everything(schema, getNamedType(type), 1)} } }` }
  })
}

interface Answered {
  readonly way: string
  readonly text: string
  readonly data?: any
  readonly errors?: readonly { readonly path?: readonly unknown[]; readonly extensions: Readonly<Record<string, any>> }[]
  readonly extensions?: Readonly<Record<string, any>>
  readonly calls: readonly PassedCall[]
}

type Site = readonly [name: string, options: LmsOptions, names: SiteNames, rewritten: ((path: string) => string) | undefined]

const IGNORES_STATUS = 'that ignores the status'

const SITES: readonly Site[] = [
  ['as specified', {}, {}, undefined],
  ['without a parameter for fields', {}, { fieldFilter: null }, undefined],
  ['of the plugin', { profile: 'learndash-5' }, PRESETS.learndash, undefined],
  [IGNORES_STATUS, {}, {}, (path) => path.replace('status=publish', 'status=any')],
]

/** The quick tier has one kind of site, and so has Yoga; the longer tiers have all. */
const IS_WHOLE = (SOAK || process.env.SYSTEM === '1') && shortPath

/** A school, and a gateway and a subgraph in front of it that read it with a service account. */
class Floor {
  private constructor(
    readonly school: MarkedSchool,
    readonly gateway: Served,
    readonly subgraph: Served,
  ) {}

  static async start([, options, names, rewritten]: Site): Promise<Floor> {
    const school = await MarkedSchool.start(options, rewritten)
    const given = merged(
      { site: { url: school.url }, tuning: { site: defineSite(school.url, names) }, cache: { maxAge: 60, forCallers: 60 } },
      SERVICE,
    )
    return new Floor(school, await serve(given), await serve(merged(given, { subgraph: { enabled: true, slugKeys: true } })))
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await this.subgraph.close()
    await this.school.close()
  }

  async ask({ way, query, variables }: Way, headers: Headers, explain?: 'plan' | 'run'): Promise<Answered> {
    const target = way.startsWith('_entities') ? this.subgraph : this.gateway
    const { calls } = this.school.proxy
    const before = calls.length
    const response = await target.post({ query, variables, ...(explain && { extensions: { explain } }) }, headers)
    const text = await response.text()
    return { way, text, ...JSON.parse(text), calls: calls.slice(before) }
  }

  async askAll(asked: readonly Way[], headers: Headers, explain?: 'plan' | 'run'): Promise<Answered[]> {
    const answers: Answered[] = []
    for (const way of asked) answers.push(await this.ask(way, headers, explain))
    return answers
  }

  ways(): Way[] {
    return [...waysTo(graphSchema(), this.school), ...references(this.school)]
  }
}

const shown = (answers: readonly Answered[]): string[] => [...new Set(answers.flatMap(({ text }) => MarkedSchool.marksIn(text)))].sort()

const ASKS_FOR_MORE = /context=edit|sfwd-questions|[?&]status=(?!publish(&|$))/

/** What must not happen to callers who are not administrators. Only a record that was read alone may be received before it is dropped. */
const faultsOf = (answers: readonly Answered[], mayReceive = false): string[] =>
  answers.flatMap(({ way, text, calls }) => [
    ...MarkedSchool.marksIn(text).map((mark) => `${way} shows ${mark}`),
    ...calls.flatMap(({ method, path, text: received }) => {
      const isDropped = mayReceive || (/\/\d+(\?|$)/.test(path) && /"status":"(?!publish)/.test(received))
      return [
        ...(method === 'GET' && !ASKS_FOR_MORE.test(path) ? [] : [`${way} asks for ${method} ${path}`]),
        ...(isDropped ? [] : MarkedSchool.marksIn(received).map((mark) => `${way} receives ${mark} from ${path}`)),
      ]
    }),
  ])

describe.each(IS_WHOLE ? SITES : SITES.slice(0, 1))(
  'callers of a service account who are not administrators, on a site %s',
  (name, options, names, rewritten) => {
    let floor: Floor
    beforeAll(async () => {
      floor = await Floor.start([name, options, names, rewritten])
    })
    afterAll(() => floor.close())

    it('see and receive nothing that only administrators may see, whatever the caches hold', async () => {
      const ways = floor.ways()
      const mayReceive = name === IGNORES_STATUS
      const [learner, ...others] = await Promise.all(Object.values(OTHERS).map((headersOf) => headersOf()))
      expect(faultsOf(await floor.askAll(ways, learner as Headers), mayReceive)).toEqual([])
      // The test is meaningful: an administrator sees each mark, in the same ways.
      const administrator = await ADMINISTRATORS['a token with the claim']()
      expect(shown(await floor.askAll(ways, administrator))).toEqual(floor.school.marks)
      // Operations of both at the same time.
      const together = await Promise.all(
        ways.map((way) => Promise.all([learner as Headers, administrator].map((by) => floor.ask(way, by)))),
      )
      expect(shown(together.map(([answer]) => answer as Answered))).toEqual([])
      expect(shown(together.map(([, answer]) => answer as Answered))).toEqual(floor.school.marks)
      for (const headers of others) expect(faultsOf(await floor.askAll(ways, headers), mayReceive)).toEqual([])
    })

    it('get explanations without such calls, and as many calls as explained', async () => {
      const learner = await OTHERS['a token without the claim']()
      for (const way of floor.ways()) {
        const plan = await floor.ask(way, learner, 'plan')
        expect(plan.calls).toEqual([])
        const { predicted, steps } = plan.extensions!.explain
        expect(steps.filter(({ method, route }: any) => method !== 'GET' || route.includes('question'))).toEqual([])
        const run = await floor.ask(way, { ...learner, 'cache-control': 'no-cache' }, 'run')
        expect(faultsOf([plan, run], name === IGNORES_STATUS)).toEqual([])
        const { actual } = run.extensions!.explain
        // Calls that are shared within the operation are sent once.
        expect(run.calls.length).toBeLessThanOrEqual(actual.calls)
        // Where a site ignores the status, pages are shorter than it says.
        if (name !== IGNORES_STATUS)
          expect([way.way, predicted.min <= actual.calls, actual.calls <= predicted.max]).toEqual([way.way, true, true])
      }
    })
  },
)

describe('the floor of a service account', () => {
  let floor: Floor
  let learner: Headers
  beforeAll(async () => {
    floor = await Floor.start(SITES[0]!)
    learner = await OTHERS['a token without the claim']()
  })
  afterAll(() => floor.close())

  const ask = (query: string, headers: Headers = learner): Promise<Answered> => floor.ask({ way: 'here', query }, headers)
  const codesOf = ({ errors = [] }: Answered): string[] => errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`)
  const pathsOf = ({ calls }: Answered): string[] => calls.map(({ path }) => path.replace(/^.*\/lms\//, ''))

  it('makes columns of editors null with an error at their place, and asks for the others only', async () => {
    const { open } = floor.school.records.Course
    const byId = await ask(`{ course(id: ${open}) { title titleRaw password contentRaw generatedSlug permalinkTemplate } }`)
    const NOTHING = { titleRaw: null, password: null, contentRaw: null, generatedSlug: null, permalinkTemplate: null }
    expect(byId.data).toEqual({ course: { title: 'Open “qxrawcourse”', ...NOTHING } })
    expect(codesOf(byId)).toEqual(Object.keys(NOTHING).map((column) => `course.${column} FORBIDDEN`))
    expect(pathsOf(byId)).toEqual([`v1/sfwd-courses/${open}?context=view&_filter=id,title.rendered,status`])
    const listed = await ask(`{ courses(where: { id: { in: [${open}] } }) { nodes { title password } } }`)
    expect([listed.data, codesOf(listed)]).toEqual([
      { courses: { nodes: [{ title: 'Open “qxrawcourse”', password: null }] } },
      ['courses.nodes.0.password FORBIDDEN'],
    ])
    expect(listed.calls).toHaveLength(1)
    const only = await ask(`{ courses(first: 3, where: { slug: ["open-course", "locked-course"] }) { nodes { password } } }`)
    expect([only.data.courses.nodes, only.calls.length]).toEqual([[{ password: null }, { password: null }], 1])
  })

  it('is documented with each column of editors', () => {
    const page = readFileSync(new URL('../../docs/wordpress.md', import.meta.url), 'utf8')
    const row = page.split('\n').find((line) => line.startsWith('| columns of editors |'))
    const columns = subjectsOf(graphSchema())['edit-only fields']?.map((field) => field.split('.')[1])
    expect(
      row
        ?.match(/(?<=`)\w+(?=`[,\s])/g)
        ?.filter((name) => name !== 'FORBIDDEN')
        .sort(),
    ).toEqual([...new Set(columns)].sort())
  })

  it('refuses questions, with all that their answers tell, without a call', async () => {
    const id = globalId('Question', QUESTION)
    const answer = await ask(`{ question(id: ${QUESTION}) { title answers { answer correct points } } node(id: "${id}") { id } }`)
    expect([answer.data, codesOf(answer), answer.calls]).toEqual([
      { question: null, node: null },
      ['question FORBIDDEN', 'node FORBIDDEN'],
      [],
    ])
  })

  it('refuses lists of other statuses without a call', async () => {
    for (const status of ['DRAFT', 'ANY', 'TRASH', 'PUBLISH, PRIVATE']) {
      const answer = await ask(`{ courses(where: { status: [${status}] }) { totalCount } }`)
      expect([answer.data, codesOf(answer), answer.calls]).toEqual([{ courses: null }, ['courses FORBIDDEN'], []])
    }
    expect((await ask('{ courses(where: { status: [PUBLISH] }) { totalCount } }')).data.courses.totalCount).toBeGreaterThan(100)
  })

  it('treats unpublished records as missing, with the same calls', async () => {
    const { hidden } = floor.school.records.Course
    for (const id of [...Object.values(hidden), 999_999]) {
      const answer = await ask(`{ course(id: ${id}) { title lessons { totalCount } } }`)
      expect([answer.data, answer.errors]).toEqual([{ course: null }, undefined])
      expect(pathsOf(answer).sort()).toEqual([
        `v1/sfwd-courses/${id}?context=view&_filter=id,title.rendered,status`,
        `v2/sfwd-lessons?per_page=1&context=view&_filter=id,status&course=${id}&status=publish`,
      ])
    }
    const slugs = Object.keys(hidden).map((status) => `"qxcourse${status}"`)
    const { data } = await ask(`{ courses(where: { slug: [${slugs}] }) { totalCount nodes { id } } }`)
    expect(data.courses).toEqual({ totalCount: 0, nodes: [] })
  })

  it('checks the status of a record that is read alone', async () => {
    const { Lesson, Course } = floor.school.records
    const alone = async (id: unknown, headers?: Headers) => ask(`{ lesson(id: ${id}, course: ${Course.open}) { title } }`, headers)
    const published = await alone(Lesson.locked)
    expect(published.data).toEqual({ lesson: { title: 'Locked lesson' } })
    expect(pathsOf(published)).toEqual([
      `v2/sfwd-lessons/${Lesson.locked}?context=view&_filter=id,title.rendered,status&course=${Course.open}`,
    ])
    const draft = await alone(Lesson.hidden.draft)
    expect([draft.data, draft.errors]).toEqual([{ lesson: null }, undefined])
    const byKey = await alone(Lesson.hidden.draft, await ADMINISTRATORS['an API key']())
    expect(byKey.data).toEqual({ lesson: { title: 'T qxlessondraft' } })
    expect(pathsOf(byKey)).toEqual([`v2/sfwd-lessons/${Lesson.hidden.draft}?context=view&_filter=id,title.rendered&course=${Course.open}`])
  })

  it('does not let a search find words of a text that a password hides, nor count them', async () => {
    const found = (word: string) => `{ lessons(where: { search: "${word}" }) { totalCount nodes { title } } }`
    expect((await ask(found('qxlockedlesson'))).data.lessons).toEqual({ totalCount: null, nodes: [] })
    expect((await ask('{ lessons(where: { search: "qxlockedlesson" }) { totalCount } }')).data.lessons.totalCount).toBe(null)
    expect((await ask(found('Open qxrawlesson'))).data.lessons.nodes).toEqual([{ title: 'Open “qxrawlesson”' }])
    const all = await ask(found('qxlockedlesson'), await ADMINISTRATORS['an API key']())
    expect(all.data.lessons).toEqual({ totalCount: 1, nodes: [{ title: 'Locked lesson' }] })
  })

  it('refuses each mutation without a call, and explains none', async () => {
    const asked = mutations(graphSchema(), floor.school)
    expect(asked.length).toBeGreaterThan(8)
    for (const headersOf of Object.values(OTHERS)) {
      const headers = await headersOf()
      for (const way of asked) {
        const { data, errors, calls } = await floor.ask(way, headers)
        expect([data.it.__typename, errors, calls]).toEqual(['ForbiddenError', undefined, []])
        const { extensions, ...plan } = await floor.ask(way, headers, 'plan')
        expect([plan.calls, extensions!.explain.predicted.max, extensions!.explain.steps]).toEqual([[], 0, []])
      }
    }
  })

  it('does not take a prerequisite that it withholds for one that does not exist', async () => {
    // All prerequisites of this course are withheld. If they did not exist, they would not lock it.
    const { locked, hidden } = floor.school.records.Course
    const query = `{ course(id: ${locked}) { prerequisites { title } access { state unknowns { rule missing } } } }`
    const { data } = await ask(query)
    expect(data.course.prerequisites).toEqual(Object.values(hidden).map(() => null))
    expect(data.course.access.unknowns).toContainEqual({ rule: 'PREREQUISITES', missing: 'PREREQUISITE' })
  })

  it.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('shares no answer with administrators, in Redis either', async () => {
    const redis = await RedisServer.start()
    const { proxy, records, url } = floor.school
    const cache = { maxAge: 60, forCallers: 60, secret: SECRET }
    const start = () => serve(merged({ site: { url }, cache, redis: { url: redis.url } }, SERVICE))
    const [one, other] = await Promise.all([start(), start()])
    // Selected with the status, so that the addresses of all callers are equal.
    const query = `{ course(id: ${records.Course.open}) { title status } }`
    const callsOf = async (gateway: Served, headers: Headers): Promise<number> => {
      const before = proxy.calls.length
      const { data } = (await (await gateway.post({ query }, headers)).json()) as any
      expect(data).toEqual({ course: { title: 'Open “qxrawcourse”', status: 'PUBLISH' } })
      return proxy.calls.length - before
    }
    try {
      const administrator = await ADMINISTRATORS['an API key']()
      await expect.poll(async () => (await callsOf(one, administrator)) + (await callsOf(other, administrator))).toBe(0)
      const nobody = await OTHERS['nobody, where the gateway is open']()
      const byAdministrator = proxy.calls.at(-1)
      expect(await callsOf(other, nobody)).toBe(1)
      expect(proxy.calls.at(-1)?.path).toBe(byAdministrator?.path)
      await expect.poll(() => callsOf(other, nobody)).toBe(0)
      expect(await callsOf(one, nobody)).toBe(0)
    } finally {
      await Promise.all([one.close(), other.close()])
      await redis.close()
    }
  })

  it('holds for no caller with credentials for the site', async () => {
    const { url, records } = floor.school
    const gateway = await serve({ site: { url }, ...CANDID })
    const { hidden } = records.Course
    const query = `{ course(id: ${hidden.draft}) { titleRaw } question(id: ${QUESTION}) { title } }`
    const response = await gateway.post({ query }, { authorization: authorizationOf('admin') })
    expect(await response.json()).toEqual({ data: { course: { titleRaw: 'T qxcoursedraft' }, question: { title: 'qxquestion' } } })
    await gateway.close()
  })
})
