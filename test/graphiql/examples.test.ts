import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseExample } from '../../src/graphiql/examples.js'

describe('parseExample', () => {
  it('reads title, user and variables from the leading comment, and keeps the rest for the editor', () => {
    const text =
      '# A course page\r\n# as: learner\r\n# variables: {"id": 7}\r\n# What a learner sees.\r\nquery Course($id: ID!) {\r\n  x # as: admin\r\n}\r\n'
    expect(parseExample('schema/operations/02-course.graphql', text)).toEqual({
      title: 'A course page',
      query: '# A course page\n# What a learner sees.\nquery Course($id: ID!) {\n  x # as: admin\n}',
      variables: '{\n  "id": 7\n}',
      user: 'learner',
    })
  })

  it.each([
    ['query A { a }', { title: 'a', query: 'query A { a }', variables: null, user: null }],
    ['# as: admin\n{ a }', { title: 'a', query: '{ a }', variables: null, user: 'admin' }],
    ['#Title\n#AS:admin\n{ a }', { title: 'Title', query: '#Title\n{ a }', variables: null, user: 'admin' }],
    ['# Title\n\n# as: admin\n{ a }', { title: 'Title', query: '# Title\n\n# as: admin\n{ a }', variables: null, user: null }],
    ['# Only a comment', { title: 'Only a comment', query: '# Only a comment', variables: null, user: null }],
  ])('%j', (text, expected) => {
    expect(parseExample('x/a.graphql', text)).toEqual(expected)
  })

  it.each(['', '7', '[]', 'null', '{"id": 7', "{id: '7'}"])('refuses %j as variables, and names the file', (json) => {
    expect(() => parseExample('schema/operations/01-a.graphql', `# A\n# variables: ${json}\n{ a }`)).toThrow(
      `01-a.graphql: "# variables:" must be followed by a JSON object on the same line, not ${json || 'nothing'}`,
    )
  })

  it('reads every example operation', () => {
    const folder = new URL('../../schema/operations/', import.meta.url)
    const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'))
    const titles = files.map((file) => parseExample(file, readFileSync(new URL(file, folder), 'utf8')).title)
    expect(new Set(titles).size).toBe(files.length)
  })
})
