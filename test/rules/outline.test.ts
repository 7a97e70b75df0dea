import { describe, expect, it } from 'vitest'
import { sectionsOf, stepsIn } from '../../src/rules/outline.js'

const [LESSON, TOPIC, QUIZ] = ['sfwd-lessons', 'sfwd-topic', 'sfwd-quiz'] as const
const names = (...ids: [string, number][]): string[] => ids.map(([type, id]) => `${type}:${id}`)

describe('the steps of a tree', () => {
  it('are those of all levels, in the order of the list of names', () => {
    const tree = { [LESSON]: { 1: { [TOPIC]: { 2: { [QUIZ]: { 3: [] } } }, [QUIZ]: { 4: [] } }, 9: [] }, [QUIZ]: { 5: [] } }
    const order = names([LESSON, 9], [LESSON, 1], [TOPIC, 2], [QUIZ, 3], [QUIZ, 4], [QUIZ, 5])
    expect(stepsIn(tree, order)).toEqual([
      { type: LESSON, id: 9, above: 0 },
      { type: LESSON, id: 1, above: 0 },
      { type: TOPIC, id: 2, above: 1 },
      { type: QUIZ, id: 3, above: 2 },
      { type: QUIZ, id: 4, above: 1 },
      { type: QUIZ, id: 5, above: 0 },
    ])
  })

  it('that are not in that list come last, by id', () => {
    expect(stepsIn({ [LESSON]: { 7: [], 3: [], 5: [] } }, names([LESSON, 5])).map(({ id }) => id)).toEqual([5, 3, 7])
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'tree'],
    ['an empty list', []],
    ['a tree of empty lists', { [LESSON]: [], [QUIZ]: [] }],
    ['steps that are no object', { [LESSON]: 'none', [QUIZ]: 7 }],
    ['names that are no ids', { [LESSON]: { x: [], 0: [], '-1': [], '1.5': [], '12345678901': [] } }],
  ])('are none in %s', (_, tree) => {
    expect(stepsIn(tree, [])).toEqual([])
  })

  it('can be below two others', () => {
    const tree = { [LESSON]: { 1: { [QUIZ]: { 5: [] } }, 2: { [QUIZ]: { 5: [] } } } }
    expect(stepsIn(tree, []).filter(({ type }) => type === QUIZ)).toEqual([1, 2].map((above) => ({ type: QUIZ, id: 5, above })))
  })
})

describe('the sections of a course', () => {
  const shown = (lessonIds: number[], ...headings: (readonly number[] | null)[]) =>
    sectionsOf(
      lessonIds,
      headings.map((ids, index) => ({ title: `H${index}`, lessonIds: ids })),
    ).map(({ title, lessonIds: ids }) => [title, ...ids])

  it.each<[title: string, lessonIds: number[], headings: (readonly number[] | null)[], expected: unknown[][]]>([
    ['without headings are one', [1, 2], [], [[null, 1, 2]]],
    ['without headings and lessons are one', [], [], [[null]]],
    [
      'begin with the lessons before the first heading',
      [1, 2, 3],
      [[2, 3]],
      [
        [null, 1],
        ['H0', 2, 3],
      ],
    ],
    [
      'begin with the first heading when it is above all lessons',
      [1, 2],
      [[1], [2]],
      [
        ['H0', 1],
        ['H1', 2],
      ],
    ],
    ['are kept when they are empty', [1], [[], [1], null], [['H0'], ['H1', 1], ['H2']]],
    ['have the lessons of the course only, in its order', [3, 1], [[1, 99, 3]], [['H0', 3, 1]]],
  ])('%s', (_, lessonIds, headings, expected) => {
    expect(shown(lessonIds, ...headings)).toEqual(expected)
  })
})
