import { describe, expect, it } from 'vitest'
import type { Call } from '../../src/graphiql/calls/explanation.js'
import { isFailed, reasonNotSent, waterfallOf, withHarmless } from '../../src/graphiql/calls/waterfall.js'

const call = (more: Partial<Call> = {}): Call => ({
  method: 'GET',
  route: 'v1/groups',
  params: {},
  wave: 1,
  start: 0,
  waiting: 10,
  receiving: 0,
  duration: 10,
  status: 200,
  bytes: 100,
  paths: ['groups'],
  ...more,
})
const UNSENT = { waiting: null, receiving: null, duration: null, status: null, bytes: null }

describe('waterfallOf', () => {
  it('puts calls on one axis, by wave and then by the time at which they were sent', () => {
    const calls = [
      call({ route: 'late', wave: 2, start: 12, waiting: 8, duration: 8 }),
      call({ route: 'queued', start: 0, queued: 6, waiting: 3, receiving: 1 }),
      call({ route: 'early', start: 2, queued: 0 }),
      call({ route: 'unplanned', wave: null, start: 1 }),
      call({ route: 'unsent', start: 0, ...UNSENT }),
    ]
    const { waves, rows, end } = waterfallOf(calls)
    expect(waves.map(({ wave, rows }) => [wave, rows.map((row) => row.call.route)])).toEqual([
      [1, ['early', 'queued', 'unsent']],
      [2, ['late']],
      [null, ['unplanned']],
    ])
    expect(rows).toHaveLength(calls.length)
    expect(end).toBe(20)
  })

  it.each<[string, Partial<Call>, [string, number, number][]]>([
    ['waits', {}, [['waiting', 0, 1]]],
    [
      'waits in the queue, for the site and for the body',
      { queued: 2, waiting: 5, receiving: 3 },
      [
        ['queued', 0, 0.2],
        ['waiting', 0.2, 0.5],
        ['receiving', 0.7, 0.3],
      ],
    ],
    ['has an empty queue', { queued: 0 }, [['waiting', 0, 1]]],
    ['starts later', { start: 10 }, [['waiting', 0.5, 0.5]]],
    ['was not sent', UNSENT, []],
    ['failed before it was sent', { ...UNSENT, duration: 10 }, []],
  ])('draws the bar of a call that %s', (_, more, segments) => {
    const drawn = waterfallOf([call(more)]).rows[0]!.segments.map(({ phase, start, size }) => [phase, +start.toFixed(6), +size.toFixed(6)])
    expect(drawn).toEqual(segments)
  })

  it.each([
    [0.3, [0, 0.1, 0.2, 0.3]],
    [7, [0, 2, 4, 6]],
    [10, [0, 2.5, 5, 7.5, 10]],
    [99, [0, 25, 50, 75]],
    [266, [0, 100, 200]],
    [4100, [0, 2000, 4000]],
  ])('has round ticks for %d ms', (end, ticks) => {
    expect(waterfallOf([call({ waiting: end, duration: end })]).ticks).toEqual(ticks)
  })

  it('is empty without calls, and without a bar of any length', () => {
    expect(waterfallOf([])).toEqual({ waves: [], rows: [], ticks: [0], end: 0 })
    expect(waterfallOf([call(UNSENT)])).toMatchObject({ rows: [{ segments: [] }], ticks: [0], end: 0 })
  })

  it.each<[Partial<Call>, string]>([
    [{}, 'GET v1/groups, step 1, 10 ms, status 200, 100 B'],
    [{ route: 'v1/groups/:id', params: { id: 7 } }, 'GET v1/groups/:id, id 7, step 1, 10 ms, status 200, 100 B'],
    [{ ids: [1, 2], wave: null }, 'GET v1/groups, 2 ids, not planned, 10 ms, status 200, 100 B'],
    [{ status: 503, attempt: 2 }, 'GET v1/groups, step 1, 10 ms, failed with status 503, 100 B, retry 1'],
    [{ status: null, bytes: null }, 'GET v1/groups, step 1, 10 ms, failed without a response'],
    [{ shared: true }, 'GET v1/groups, step 1, 10 ms, status 200, 100 B, shared'],
    [UNSENT, 'GET v1/groups, step 1, not sent'],
    [{ ...UNSENT, duration: 3 }, 'GET v1/groups, step 1, not sent: failed before, failed without a response'],
  ])('describes the call %j', (more, text) => {
    expect(waterfallOf([call(more)]).rows[0]!.text).toBe(text)
  })
})

describe('withHarmless', () => {
  const progress = ['user.courseProgress.nodes.course.access', 'course.access']
  const at = (...path: (string | number)[]) => ({ path })
  it.each<[string, Partial<Call>, { path?: (string | number)[] }[], boolean]>([
    ['nothing there, and the field is null', { status: 404, paths: progress }, [], true],
    ['an error elsewhere', { status: 404, paths: progress }, [at('group'), {}], true],
    ['an error at a field with a longer name', { status: 404, paths: ['course.access'] }, [at('course', 'accessList')], true],
    ['an error at its field', { status: 404, paths: progress }, [at('user', 'courseProgress', 'nodes', 3, 'course', 'access')], false],
    ['an error inside of its field', { status: 404, paths: ['course'] }, [at('course', 'lessons', 'nodes', 0)], false],
    ['a parameter that the site does not have', { status: 400 }, [], true],
    ['a failure of the site that a later call made up for', { status: 503 }, [], false],
    ['a write', { method: 'POST', status: 404 }, [], false],
    ['a success', { status: 200 }, [], false],
    ['no response', { status: null }, [], false],
  ])('%s', (_, more, errors, isHarmless) => {
    const [marked] = withHarmless([call(more)], errors)
    expect(marked).toEqual(isHarmless ? { ...call(more), isHarmless } : call(more))
    expect(waterfallOf([marked as Call]).rows[0]!.text.includes('no error')).toBe(isHarmless)
    if (isHarmless) expect(isFailed(marked as Call)).toBe(false)
  })
})

describe('reasonNotSent', () => {
  it('says why a call was not sent', () => {
    const all = [call({ ...UNSENT, cached: 1.5 }), call({ ...UNSENT, shared: true }), call(UNSENT), call({ ...UNSENT, duration: 3 })]
    expect(all.map(reasonNotSent)).toEqual([
      'from the cache, 1.5 s old',
      'not sent: shared with another operation',
      'not sent',
      'not sent: failed before',
    ])
  })
})
