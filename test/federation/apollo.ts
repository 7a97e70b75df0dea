export { apart as apollo, expectedInCi as expectApolloInCi } from './apart.js'
