import { describe, expect, it } from 'vitest'
import { headersIn, mergedHeaders, withAuthorization } from '../../src/graphiql/headers.js'
import { operationTab, startingTabs } from '../../src/graphiql/operations/tabs.js'
import { USERS } from '../browser/start-page.js'
import { saved } from './saved.js'

const users = [{ login: 'learner', name: 'Lena', role: 'subscriber', authorization: 'Basic abc' }]
const signedIn = '{\n  "Authorization": "Basic abc"\n}'
const first = saved({ role: 'learner', variables: { n: 1 }, query: '{ a }' })
const variables = '{\n  "n": 1\n}'

function storage(tabState?: unknown) {
  const values = new Map(tabState === undefined ? [] : [['graphiql:tabState', JSON.stringify(tabState)]])
  return { getItem: (key: string) => values.get(key) ?? null }
}

describe('startingTabs', () => {
  it('opens the first operation at the first visit, as the user of its role', () => {
    expect(startingTabs(first, users, storage())).toEqual({
      defaultTabs: [{ query: '{ a }', variables, headers: signedIn }],
      initialQuery: '{ a }',
      initialVariables: variables,
      initialHeaders: signedIn,
    })
  })

  it('has no user when no users are known', () => {
    expect(startingTabs(first, [], storage())).toMatchObject({ defaultTabs: [{ headers: null }], initialHeaders: '' })
  })

  it('keeps the default of GraphiQL without operations', () => {
    expect(startingTabs(undefined, users, storage())).toEqual({})
  })

  it('opens the tab of the last visit', () => {
    const tabs = [
      { query: '{ x }', variables: null, headers: null },
      { query: '{ y }', variables: '{"n":1}', headers: signedIn },
    ]
    const start = startingTabs(first, users, storage({ tabs, activeTabIndex: 1 }))
    expect(start).toMatchObject({ initialQuery: '{ y }', initialVariables: '{"n":1}', initialHeaders: signedIn })
  })

  it.each([[null], [{}], [{ tabs: [], activeTabIndex: 0 }], [{ tabs: [{}], activeTabIndex: 3 }], ['x']])(
    'passes over unusable stored tabs: %j',
    (state) => {
      expect(startingTabs(first, users, storage(state))).toMatchObject({ initialQuery: '{ a }' })
    },
  )
})

describe('operationTab', () => {
  it('has the variables of the operation, or others', () => {
    expect(operationTab(first, []).variables).toBe(variables)
    expect(operationTab(first, [], { n: '' })).toEqual({ query: '{ a }', variables: '{\n  "n": ""\n}', headers: null })
    expect(operationTab({ ...first, variables: null }, users)).toEqual({ query: '{ a }', variables: null, headers: signedIn })
  })

  it.each([
    ['administrator', 'admin'],
    ['editor', 'leader'],
    ['learner', 'learner'],
    ['visitor', undefined],
    [null, undefined],
  ] as const)('is signed in as the demo user of the role: %s as %s', (role, login) => {
    const user = USERS.find((each) => each.login === login)
    const { headers } = operationTab(saved({ role }), USERS)
    expect(headers && JSON.parse(headers)).toEqual(user ? { Authorization: user.authorization } : null)
  })
})

describe('headers', () => {
  it.each([
    [null, {}],
    ['  ', {}],
    ['{"X-A": "1", "Authorization": "Basic abc", "X-B": 7}', { 'x-a': '1', authorization: 'Basic abc' }],
    ['{\n  // "X-B": "2",\n  "X-A": "1", /* text */\n}', { 'x-a': '1' }],
    ['{"Author', undefined],
    ['[1]', undefined],
    ['"Authorization"', undefined],
  ])('headersIn(%j)', (text, expected) => {
    expect(headersIn(text)).toEqual(expected)
  })

  it('of a tab replace those of the page in any case', () => {
    expect(mergedHeaders({ Authorization: 'Basic abc', 'X-API-Key': 'k' }, { authorization: 'Bearer t', 'X-B': 7 })).toEqual({
      authorization: 'Bearer t',
      'x-api-key': 'k',
    })
  })

  it.each([
    [null, undefined],
    ['', undefined],
    ['{"X-A": "1"}', undefined],
    ['{"authorization": "Basic abc"}', 'Basic abc'],
    ['{"Authorization": 7}', undefined],
    ['[1]', undefined],
    ['{"Author', undefined],
    ['{ // text\n"Authorization": "Basic abc", }', 'Basic abc'],
  ])('finds the Authorization header of %j', (text, expected) => {
    expect(headersIn(text)?.authorization).toBe(expected)
  })

  it.each([
    ['', 'Basic abc', signedIn],
    ['{}', 'Basic abc', signedIn],
    ['{"authorization": "Basic old",}', 'Basic abc', signedIn],
    ['{"X-A": "1", "AUTHORIZATION": "Basic old"}', 'Basic abc', '{\n  "Authorization": "Basic abc",\n  "X-A": "1"\n}'],
    ['{\n  "Authorization": "Basic old",\n  "X-A": "1"\n}', undefined, '{\n  "X-A": "1"\n}'],
    ['{"Authorization": "Basic a", "X-A": "1", "Authorization": "Basic b", "authorization": "Basic c"}', undefined, '{\n  "X-A": "1"\n}'],
    [
      '{\n  // "X-B": "2",\n  "X-A": "1", // text\n  "Authorization": "Basic old",\n}',
      'Basic abc',
      '{\n  "Authorization": "Basic abc",\n  // "X-B": "2",\n  "X-A": "1",\n}',
    ],
    ['{"Author', 'Basic abc', '{"Author'],
    ['{"X-A": "1" "Authorization": "Basic old"}', undefined, '{"X-A": "1" "Authorization": "Basic old"}'],
  ])('withAuthorization(%j, %j)', (text, value, expected) => {
    expect(withAuthorization(text, value)).toBe(expected)
  })

  it('are an empty text when no header is left', () => {
    expect(withAuthorization(signedIn, undefined)).toBe('')
  })
})
