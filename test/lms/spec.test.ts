import { describe, expect, it } from 'vitest'
import { course, courseProgress, group, groupCourse, lesson, priceType, quiz, type Resource } from '../../src/lms/spec/index.js'
import { Store } from '../../src/lms/store.js'
import { contract } from './world.js'

const RESOURCES: Readonly<Record<string, Resource>> = {
  groups: group,
  'sfwd-courses': course,
  'sfwd-quiz': quiz,
  'sfwd-lessons': lesson,
  'groups/<id>/courses': groupCourse,
  'users/<id>/course-progress': courseProgress,
  'price-types': priceType,
}
const WRITABLE: Readonly<Record<string, Resource>> = { Group: group, Course: course, Quiz: quiz, Lesson: lesson }

describe('the spec tables', () => {
  it.each(Object.entries(RESOURCES))('have the list parameters of %s', (name, resource) => {
    expect([...resource.listParameters].sort()).toEqual([...contract.listParameters[name]!].sort())
  })

  it.each(Object.entries(WRITABLE))('have the body fields of %s as writable', (type, { fields }) => {
    const writable = fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name)
    expect(writable.sort()).toEqual([...contract.bodyFields[type]!].sort())
  })

  it.each(Object.entries(WRITABLE))('have defaults for %s, and columns that exist', (_type, { table, fields }) => {
    const store = new Store(undefined, () => {})
    const columns = store.rows(`SELECT name FROM pragma_table_info('${table}')`).map(([name]) => name)
    for (const { name, kind, column, values, readOnly, default: fallback } of fields) {
      if (readOnly || kind === 'terms') continue
      expect([name, columns.includes(column)]).toEqual([name, true])
      if (values) expect(values).toContain(fallback)
    }
    store.close()
  })
})
