import { describe, expect, it } from 'vitest'
import { authorizationOf, withAuthorization } from '../../src/graphiql/headers.js'
import { startingTabs } from '../../src/graphiql/tabs.js'

const users = [{ login: 'learner', name: 'Lena', role: 'subscriber', authorization: 'Basic abc' }]
const signedIn = '{\n  "Authorization": "Basic abc"\n}'
const examples = [
  { title: 'A', query: '{ a }\n', variables: '{}', user: 'learner' },
  { title: 'B', query: '{ b }\n', variables: null, user: null },
]

function storage(tabState?: unknown) {
  const values = new Map(tabState === undefined ? [] : [['graphiql:tabState', JSON.stringify(tabState)]])
  return { values, getItem: (key: string) => values.get(key) ?? null, setItem: (key: string, value: string) => void values.set(key, value) }
}

describe('startingTabs', () => {
  it('opens the examples at the first visit, each as its user', () => {
    expect(startingTabs(examples, users, storage())).toEqual({
      defaultTabs: [
        { query: '{ a }\n', variables: '{}', headers: signedIn },
        { query: '{ b }\n', variables: null, headers: null },
      ],
      initialQuery: '{ a }\n',
      initialVariables: '{}',
      initialHeaders: signedIn,
    })
  })

  it('has no user when no users are known', () => {
    expect(startingTabs(examples, [], storage())).toMatchObject({ defaultTabs: [{ headers: null }, { headers: null }], initialHeaders: '' })
  })

  it('keeps the default of GraphiQL without examples', () => {
    expect(startingTabs([], users, storage())).toEqual({})
  })

  it('opens the tab of the last visit', () => {
    const tabs = [
      { query: '{ x }', variables: null, headers: null },
      { query: '{ y }', variables: '{"n":1}', headers: signedIn },
    ]
    const start = startingTabs(examples, users, storage({ tabs, activeTabIndex: 1 }))
    expect(start).toMatchObject({ initialQuery: '{ y }', initialVariables: '{"n":1}', initialHeaders: signedIn })
  })

  it('drops the stored user when the site has no demo users', () => {
    const stored = storage({ tabs: [{ query: '{ y }', variables: null, headers: signedIn }], activeTabIndex: 0 })
    expect(startingTabs(examples, [], stored)).toMatchObject({ initialQuery: '{ y }', initialHeaders: '' })
    expect(stored.values.get('graphiql:tabState')).not.toContain('Basic abc')
  })

  it.each([[null], [{}], [{ tabs: [], activeTabIndex: 0 }], [{ tabs: [{}], activeTabIndex: 3 }], ['x']])(
    'passes over unusable stored tabs: %j',
    (state) => {
      expect(startingTabs(examples, users, storage(state))).toMatchObject({ initialQuery: '{ a }\n' })
    },
  )
})

describe('headers', () => {
  it.each([
    [null, undefined],
    ['', undefined],
    ['{"X-A": "1"}', undefined],
    ['{"authorization": "Basic abc"}', 'Basic abc'],
    ['{"Authorization": 7}', undefined],
    ['[1]', undefined],
    ['{"Author', undefined],
  ])('authorizationOf(%j) is %j', (text, expected) => {
    expect(authorizationOf(text)).toBe(expected)
  })

  it.each([
    ['', 'Basic abc', { Authorization: 'Basic abc' }],
    ['{"X-A": "1", "AUTHORIZATION": "Basic old"}', 'Basic abc', { Authorization: 'Basic abc', 'X-A': '1' }],
    ['{"X-A": "1", "Authorization": "Basic old"}', undefined, { 'X-A': '1' }],
    ['{"Author', 'Basic abc', { Authorization: 'Basic abc' }],
  ])('withAuthorization(%j, %j)', (text, value, expected) => {
    expect(JSON.parse(withAuthorization(text, value))).toEqual(expected)
  })

  it('are an empty text when no header is left', () => {
    expect(withAuthorization(signedIn, undefined)).toBe('')
  })
})
