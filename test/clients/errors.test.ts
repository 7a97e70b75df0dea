import { gql } from '@apollo/client'
import { CombinedGraphQLErrors } from '@apollo/client/errors'
import { ClientError, GraphQLClient } from 'graphql-request'
import { fetchQuery } from 'relay-runtime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/operations/manifest.js'
import { authorizationOf, CANDID, World } from '../support/world.js'
import relayDocuments from './__generated__/documents.json' with { type: 'json' }
import coursesRequest from './__generated__/relayOperationsCoursesQuery.graphql.js'
import * as apollo from './recipes/apollo.js'
import * as relay from './recipes/relay.js'
import * as urql from './recipes/urql.js'

/** Only editors may read `titleRaw`. */
const query = gql('{ course(id: 10001) { id title titleRaw } }')
const partial = { course: { title: expect.stringContaining('Algebra'), titleRaw: null } }

// The table of clients in docs/front-ends/index.md.
describe('a response with data and errors', () => {
  let world: World
  let url = ''
  beforeAll(async () => {
    world = await World.start()
    url = `${world.gateway.url}/graphql`
  })
  afterAll(() => world.close())

  it('is thrown by graphql-request, and shown with `errorPolicy: all` and `rawRequest`', async () => {
    const headers = { authorization: authorizationOf('learner') }
    await expect(new GraphQLClient(url, { headers }).request(query)).rejects.toBeInstanceOf(ClientError)
    const { data, errors } = await new GraphQLClient(url, { headers, errorPolicy: 'all' }).rawRequest(
      '{ course(id: 10001) { id title titleRaw } }',
    )
    expect([data, errors]).toMatchObject([partial, [{ extensions: { code: 'FORBIDDEN' } }]])
  })

  it('is an error without data for Apollo Client, and both with `errorPolicy: all`', async () => {
    const client = apollo.connect(url, authorizationOf('learner'))
    await expect(client.query({ query })).rejects.toBeInstanceOf(CombinedGraphQLErrors)
    const { data, error } = await client.query({ query, errorPolicy: 'all' })
    expect([data, error]).toMatchObject([partial, { errors: [{ extensions: { code: 'FORBIDDEN' } }] }])
  })

  it('is data and an error for urql', async () => {
    const { data, error } = await urql.connect(url, authorizationOf('learner')).query(query, {}).toPromise()
    expect([data, error]).toMatchObject([partial, { graphQLErrors: [{ extensions: { code: 'FORBIDDEN' } }] }])
  })

  it('is null in the field for Relay', async () => {
    const operations = readManifest(JSON.stringify(relayDocuments))
    const broken = await World.start({ ...CANDID, http: { operations } }, { switches: { fatalHtml: 'route:GET */sfwd-courses*' } })
    const environment = relay.connect(`${broken.gateway.url}/graphql`, authorizationOf('learner'))
    expect(await fetchQuery(environment, coursesRequest as never, {} as never).toPromise()).toEqual({ courses: null })
    expect(broken.calls).toHaveLength(1)
    await broken.close()
  })
})
