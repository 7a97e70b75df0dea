import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { globalId } from '../support/global-id.js'
import { ALL_COLUMNS_SITE, IS_PLUGIN, otherwise } from '../support/profile.js'
import { type Answer, SOAK, World } from '../support/world.js'
import { BAD_INPUTS, COURSE, EXISTING, MISSING } from './bad-mutation-inputs.js'

let world: World
/** The records of the school before any mutation. */
let before: string[]
beforeAll(async () => {
  world = await World.start({}, ...ALL_COLUMNS_SITE)
  before = await school()
})
afterAll(() => world.close())

const ENUMERATIONS = ['status', 'commentStatus', 'pingStatus', 'prerequisiteCompare', 'videoShown', 'visibleType']

/** A value as a literal of a document; enumeration values are unquoted. */
function literal(value: unknown, field = ''): string {
  if (Array.isArray(value)) return `[${value.map((item) => literal(item))}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value).map(([name, member]) => `${name}: ${literal(member, name)}`)}}`
  return typeof value === 'string' && ENUMERATIONS.includes(field) && /^\w+$/.test(value) ? value : JSON.stringify(value)
}

const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const SAID = '__typename ... on LmsError { code message } ... on InvalidInputError { fields { field path code message } }'

/** A mutation with its input in the document, and in a variable. */
const BOTH_WAYS: Readonly<Record<string, (mutation: string, input: unknown, selection?: string) => Promise<Answer>>> = {
  'a literal': (mutation, input, selection = SAID) =>
    world.query(`mutation { result: ${mutation}(input: ${literal(input)}) { ${selection} } }`, { as: 'admin' }),
  'a variable': (mutation, input, selection = SAID) =>
    world.query(`mutation ($input: ${upperFirst(mutation)}Input!) { result: ${mutation}(input: $input) { ${selection} } }`, {
      as: 'admin',
      variables: { input },
    }),
}

/** The site receives the same request either way: one form is enough for further kinds of site, except in long runs. */
const WAYS = SOAK || !IS_PLUGIN ? BOTH_WAYS : { 'a variable': BOTH_WAYS['a variable'] as (typeof BOTH_WAYS)[string] }

/** Every sixth literal, except in long runs. */
const some = <T>(inputs: readonly T[], way: string): readonly T[] =>
  SOAK || way !== 'a literal' ? inputs : inputs.filter((_, place) => place % 6 === 0)

const LISTS = ['v1/groups', 'v1/sfwd-courses', 'v2/sfwd-lessons', 'v1/sfwd-quiz', `v2/groups/${SAMPLES.emptyGroup}/courses`]

/** All records of the school, as the text of its lists. */
async function school(): Promise<string[]> {
  const texts: string[] = []
  for (const list of LISTS)
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { text, headers } = await world.ask(`${list}?context=edit&status=any,trash&orderby=id&per_page=100&page=${page}`)
      pages = Number(headers.get('x-wp-totalpages'))
      texts.push(text)
    }
  return texts
}

/** The fields that a response names as wrong; fails if the response is not a refusal of the input. */
function refusedFields({ data, errors, calls, status }: Answer, asked: readonly string[]): string[] {
  const named = (message: string): string[] => asked.filter((field) => new RegExp(`\\b${field}\\b`).test(message))
  if (errors.length > 0) {
    expect([data, calls, status]).toEqual([undefined, [], 400])
    for (const { message, extensions } of errors) {
      expect(extensions.code).toMatch(/^(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)$/)
      expect(named(message)).not.toEqual([])
    }
    return errors.flatMap(({ message }) => named(message))
  }
  expect(data.result).toMatchObject({ __typename: 'InvalidInputError', code: 'BAD_USER_INPUT' })
  for (const { field, path, code, message } of data.result.fields) {
    const [first, index] = path
    expect(data.result.message).toContain(`\`${field}${index === undefined ? '' : `[${index}]`}\`: ${message}`)
    expect([first, path.length <= 2, code]).toEqual([field, true, expect.stringMatching(/^[A-Z_]+$/)])
    // All messages are sentences of one style, whether the gateway or the site has checked the value.
    expect(message).toMatch(/^(It (is|has|can't|must)|There is no) .*[^.]\.$/)
    expect(field).toMatch(/^[a-z][A-Za-z]+$/)
  }
  return data.result.fields.map(({ field }: { field: string }) => field)
}

describe.each(BAD_INPUTS)('%s', (mutation, inputs) => {
  it('writes nothing, and names the wrong fields of each bad input', async () => {
    expect(inputs.length).toBeGreaterThan(10)
    const unclear: unknown[] = []
    for (const [name, way] of Object.entries(WAYS))
      for (const [input, ...fields] of some(inputs, name)) {
        const answer = await way(mutation, input)
        try {
          expect([...new Set(refusedFields(answer, fields))].sort()).toEqual([...fields].sort())
          expect(world.calls.filter(({ method, status }) => method !== 'GET' && status < 400)).toEqual([])
        } catch (error) {
          const { data, errors } = answer
          unclear.push({
            name,
            input: JSON.stringify(input).slice(0, 200),
            answered: errors.map(({ message }) => message),
            data,
            error: String(error).slice(0, 300),
          })
        }
      }
    expect(unclear).toEqual([])
  })
})

it('no bad input has changed the school', async () => {
  expect(await school()).toEqual(before)
})

it('no mutation writes anything to a record that does not exist, by either kind of id', async () => {
  for (const [mutation, type, more] of [
    ['updateGroup', 'Group', { title: 'x' }],
    ['updateCourse', 'Course', { title: 'x' }],
    ['updateLesson', 'Lesson', { title: 'x' }],
    ['updateQuiz', 'Quiz', { title: 'x' }],
    ['deleteGroup', 'Group', { force: true }],
    ['addCoursesToGroup', 'Group', { courseIds: [COURSE] }],
  ] as const)
    for (const id of [MISSING, globalId(type, MISSING)])
      for (const way of Object.values(WAYS)) {
        const { data, errors } = await way(mutation, { id, ...more })
        expect(errors).toEqual([])
        expect(data.result).toMatchObject({ __typename: 'NotFoundError', code: 'NOT_FOUND', message: expect.stringMatching(/\w+ \w+/) })
      }
  expect(await school()).toEqual(before)
})

type Values = Readonly<Record<string, unknown>>

/** Unusual values that are valid: the value that is read back if it differs, and values that not all sites accept. */
const good = (type: string, input: Values, read: Values = input, oddity?: string) => [type, input, read, oddity] as const

const GOOD = [
  ...Object.keys(EXISTING).flatMap((type) => [
    good(type, { title: 'Ünïcödé 数学 🎓 «x» & y < z' }),
    good(type, { title: '🎓', slug: 'x'.repeat(200), status: 'PUBLISH' }),
    good(type, { title: '', content: '', password: '', template: '' }, { title: '', contentRaw: '', password: '', template: '' }),
    good(type, { title: null, content: null, password: null }, { title: '', contentRaw: '', password: '' }),
    good(type, { content: '<p>"Quotes", \\\\ and 🎓</p>\n\n' }, { contentRaw: '<p>"Quotes", \\\\ and 🎓</p>\n\n' }),
    good(type, { password: 'x'.repeat(255) }),
    good(type, { date: '2028-02-29T23:59:59' }),
    good(type, { dateGmt: '2028-02-29T23:59:59Z' }),
    good(type, { dateGmt: '2028-03-01T01:59:59+02:00' }, { dateGmt: '2028-02-29T23:59:59Z' }),
    good(type, { date: '1999-12-31T00:00:00' }),
    good(type, { authorId: 3 }),
    good(type, { authorId: '3' }, { authorId: 3 }),
    good(type, { authorId: globalId('User', 3) }, { authorId: 3 }),
    good(type, { featuredMediaId: 2_147_483_647 }, type === 'Group' ? {} : undefined),
  ]),
  good('Group', { parentId: 1_001 }),
  good('Group', { parentId: globalId('Group', 1_001) }, { parentId: 1_001 }),
  good('Group', { parentId: null }),
  good('Group', { categoryIds: [], groupTagIds: null, meta: {} }, { categoryIds: [], groupTagIds: [] }),
  good('Course', { menuOrder: 0 }),
  good('Course', { points: 0, pointsAccess: 0.5, expireAccessDays: 0 }),
  good('Course', { price: '0', customButtonLabel: '', materials: '' }),
  good('Course', { prerequisiteIds: [10_001, '10002', globalId('Course', 10_003)] }, { prerequisiteIds: [10_001, 10_002, 10_003] }),
  good('Course', { prerequisiteIds: [], prerequisiteEnabled: false }),
  good('Course', { priceTypeSlug: 'paynow' }),
  good('Lesson', {
    visibleAfter: 0,
    assignmentUploadLimitCount: 0,
    forcedTimerAmount: 0,
    videoAutoCompleteDelay: 0,
    menuOrder: 2_147_483_647,
  }),
  good('Lesson', { visibleAfterSpecificDate: '2028-02-29', visibleType: 'VISIBLE_AFTER_SPECIFIC_DATE' }, undefined, 'a release date'),
  good('Lesson', { visibleType: null, visibleAfterSpecificDate: null, courseId: null }),
  good('Lesson', { assignmentUploadLimitSize: '32M' }),
  good('Lesson', { assignmentUploadLimitSize: '500k', assignmentUploadLimitExtensions: [] }),
  good('Lesson', { assignmentUploadLimitSize: '', assignmentUploadLimitExtensions: ['pdf', '7z'] }),
  good('Lesson', { courseId: globalId('Course', COURSE) }, { courseId: COURSE }),
  good('Quiz', { threshold: 0, passingPercentage: 0, certificateId: null }),
  good('Quiz', { threshold: 1, passingPercentage: 99.5, certificateId: 2_147_483_647 }),
]

it.each(GOOD)('a %s accepts %j', async (type, input, good, oddity) => {
  const field = type.toLowerCase()
  const read = oddity === undefined ? good : otherwise(oddity, good)
  const fields = Object.keys(read)
  const shown = `... on Create${type}Success { ${field} { databaseId ${fields.join(' ')} } }`
  for (const [way, mutate] of Object.entries(WAYS)) {
    const { data, errors } = await mutate(`create${type}`, input, `${SAID} ${shown}`)
    expect(errors).toEqual([])
    const { databaseId, ...record } = data.result[field]
    // Slugs are unique: that of the second record has a number.
    expect(way === 'a variable' && 'slug' in read ? { ...record, slug: read.slug } : record).toEqual(read)
    const changed = await mutate(`update${type}`, { id: globalId(type, databaseId), ...input }, shown.replace('Create', 'Update'))
    expect(changed.errors).toEqual([])
    expect(changed.data.result[field].databaseId).toBe(databaseId)
  }
})
