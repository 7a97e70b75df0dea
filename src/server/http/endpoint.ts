/** Path of GraphQL, and of GraphiQL for browsers. */
export const ENDPOINT = '/graphql'
