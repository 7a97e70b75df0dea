import { gql } from '@apollo/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authorizationOf, World } from '../support/world.js'
import * as apollo from './recipes/apollo-defer.js'
import * as urql from './recipes/urql-defer.js'

const COURSE = gql`
  query Course($id: ID!) {
    course(id: $id) {
      id
      title
      ... @defer {
        lessons(first: 2) {
          nodes {
            id
            title
          }
        }
      }
    }
  }
`

/** What a client has shown so far: whether there was a title, how many lessons, and how many REST calls had ended. */
interface Shown {
  readonly title: boolean
  readonly lessons: number | undefined
  readonly calls: number
}

/** Calls `show` with the data of each state, and resolves when the client is done. */
type Watch = (url: string, show: (data: any) => void) => Promise<void>

const watchApollo: Watch = (url, show) =>
  new Promise((resolve, reject) => {
    const watched = apollo.connect(url, authorizationOf('admin')).watchQuery<any>({ query: COURSE, variables: { id: '10001' } })
    watched.subscribe(({ data, dataState, error }) => {
      if (error) reject(error)
      if (data) show(data)
      if (dataState === 'complete') resolve()
    })
  })

const watchUrql: Watch = (url, show) =>
  new Promise((resolve, reject) => {
    const client = urql.connect(url, authorizationOf('admin'))
    client.query(COURSE, { id: '10001' }).subscribe(({ data, error, hasNext }) => {
      if (error) reject(error)
      if (data) show(data)
      if (!hasNext) resolve()
    })
  })

describe.each<[string, Watch]>([
  ['Apollo Client', watchApollo],
  ['urql', watchUrql],
])('%s', (_, watch) => {
  let world: World
  beforeAll(async () => {
    world = await World.start({}, { switches: { latency: 'median:400+p95:401' } })
  })
  afterAll(() => world.close())
  beforeEach(() => {
    world.calls.length = 0
  })

  it('shows a record before its deferred fragment, and then both', async () => {
    const shown: Shown[] = []
    await watch(`${world.gateway.url}/graphql`, ({ course }) => {
      shown.push({ title: typeof course.title === 'string', lessons: course.lessons?.nodes.length, calls: world.calls.length })
    })
    expect(shown).toEqual([
      { title: true, lessons: undefined, calls: 1 },
      { title: true, lessons: 2, calls: 2 },
    ])
  })
})
