import { GraphQLError } from 'graphql'
import type { Principal } from './auth/authenticator.js'

/** Who may have operations explained: callers with an API key, with the token of an administrator, with any key or token, or everybody. */
export type Audience = 'keys' | 'admins' | 'callers' | 'everybody'

/** Header that asks for it, for clients that can't send extensions; those win. */
export const EXPLAIN_HEADER = 'x-lms-explain'

/** Whether a request asks to have its operation explained instead of run, or besides. Throws when that is wrongly asked, or not for the caller to ask. */
export function explainAsked(
  extensions: { readonly explain?: unknown } | null | undefined,
  headers: Pick<Headers, 'get'>,
  { as }: Pick<Principal, 'as'>,
  audiences: readonly Audience[],
): 'plan' | 'run' | undefined {
  const asked = extensions?.explain ?? headers.get(EXPLAIN_HEADER)
  if (asked === null || asked === undefined) return undefined
  if (asked !== 'plan' && asked !== 'run') throw new GraphQLError('`explain` must be `plan` or `run`.', BAD_REQUEST)
  if (!audiences.includes('everybody') && !(as && (audiences.includes('callers') || audiences.some((audience) => audience === as))))
    throw new GraphQLError('Operations are not explained to you here.', FORBIDDEN)
  return asked
}

const BAD_REQUEST = { extensions: { code: 'BAD_REQUEST' } }
const FORBIDDEN = { extensions: { code: 'FORBIDDEN', http: { status: 403 } } }
