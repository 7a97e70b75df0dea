import { describe, expect, it } from 'vitest'
import { changeSince, type Run } from '../../src/graphiql/calls/runs.js'

const RUN: Run = {
  query: '{ a }',
  operationName: undefined,
  variables: { id: 7 },
  headers: { 'x-page': '1', authorization: 'Basic a' },
  outcome: { kind: 'failed' },
  answer: { status: 200, time: 1 },
}
const PAGE = { 'X-Page': '1' }
const TAB = {
  id: 'a',
  hash: '',
  title: '',
  response: null,
  query: '{ a }',
  variables: '{ "id": 7, }',
  headers: '{ "Authorization": "Basic a" }',
}

describe('changeSince', () => {
  it.each<[string, object, Record<string, string>, string | undefined]>([
    ['nothing', {}, PAGE, undefined],
    ['spaces in the variables', { variables: '{"id":7} // the id' }, PAGE, undefined],
    ['the query', { query: '{ b }' }, PAGE, 'the query'],
    ['the variables', { variables: '{"id": 8}' }, PAGE, 'the variables'],
    ['variables that are no object', { variables: '{"id"' }, PAGE, 'the variables'],
    ['the user of the tab', { headers: '{ "Authorization": "Basic b" }' }, PAGE, 'the user or the headers'],
    ['the user of the page', {}, { 'X-Page': '2' }, 'the user or the headers'],
    ['no headers any more', { headers: null }, PAGE, 'the user or the headers'],
  ])('%s', (_, more, page, change) => expect(changeSince(RUN, { operationName: null, ...TAB, ...more } as never, page)).toBe(change))
})
