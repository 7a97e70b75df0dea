import { GraphQLError } from 'graphql'
import type { LimitName, Limits } from './limits.js'

/** A request that is refused for what it holds too much of. `what` begins the sentence. */
export const limitExceeded = (what: string, limit: LimitName, { [limit]: most }: Limits): GraphQLError =>
  new GraphQLError(`${what}; at most ${most} are allowed.`, { extensions: { code: 'LIMIT_EXCEEDED', limit, most, ...BAD_REQUEST } })

/** 400, but for clients of `application/json`, to whom each GraphQL request is answered by 200. */
const BAD_REQUEST = { http: { status: 400, spec: true } }
