import { describe, expect, it } from 'vitest'
import { type Folder, folderOf, search } from '../../src/graphiql/operations/folders.js'
import { saved } from './saved.js'

/** A folder as text: its groups with the names of their operations, then its folders with their sizes. */
const outline = ({ groups, folders }: Folder): unknown => ({
  ...Object.fromEntries(groups.map(([group, operations]) => [group, operations.map(({ name }) => name).join(' ')])),
  ...Object.fromEntries(folders.map((folder) => [`${folder.path}: ${folder.size}`, outline(folder)])),
})

describe('folderOf', () => {
  it('nests folders, and has groups in each in the order of their first operations, after what has no group', () => {
    const operations = [
      saved({ name: 'A', group: 'For visitors' }),
      saved({ name: 'B', group: 'For learners' }),
      saved({ name: 'C' }),
      saved({ name: 'D', group: 'For visitors' }),
      saved({ name: 'E', folder: 'courses/edit/forms' }),
      saved({ name: 'F', folder: 'courses', group: 'Pages' }),
      saved({ name: 'G', folder: 'course' }),
      saved({ name: 'H', folder: 'courses/edit', group: 'Pages' }),
    ]
    expect(outline(folderOf(operations))).toEqual({
      '': 'C',
      'For visitors': 'A D',
      'For learners': 'B',
      'courses: 3': { Pages: 'F', 'courses/edit: 2': { Pages: 'H', 'courses/edit/forms: 1': { '': 'E' } } },
      'course: 1': { '': 'G' },
    })
  })

  it('is empty without operations', () => {
    expect(folderOf([])).toEqual({ path: '', groups: [], folders: [], size: 0 })
  })

  it('has each of 500 operations in 30 folders once', () => {
    const operations = Array.from({ length: 500 }, (_, index) => saved({ name: `O${index}`, folder: `a${index % 6}/b${index % 30}` }))
    const namesIn = ({ groups, folders }: Folder): string[] => [
      ...groups.flatMap(([, list]) => list.map(({ name }) => name)),
      ...folders.flatMap(namesIn),
    ]
    expect(namesIn(folderOf(operations)).sort()).toEqual(operations.map(({ name }) => name).sort())
  })
})

describe('search', () => {
  const operations = [
    saved({ name: 'CoursePage', title: 'A course', description: 'Lessons and quizzes.', folder: 'pages/school', group: 'For visitors' }),
    saved({ name: 'Me', title: 'Who am I', folder: 'account' }),
  ]

  it.each([
    ['A COURSE', 'CoursePage'],
    ['quizzes', 'CoursePage'],
    ['coursepage', 'CoursePage'],
    ['school', 'CoursePage'],
    ['pages/sch', 'CoursePage'],
    ['visitors', 'CoursePage'],
    ['quiz  course', 'CoursePage'],
    ['a', 'CoursePage Me'],
    ['course account', ''],
    ['null', ''],
  ])('for %j finds %j', (text, names) => {
    expect(
      search(operations, text)
        .map(({ name }) => name)
        .join(' '),
    ).toBe(names)
  })
})
