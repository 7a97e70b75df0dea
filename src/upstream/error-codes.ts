/** An error code, with what it means for clients: one row of the reference of errors. */
interface ErrorCodeInfo {
  readonly code: string
  /** HTTP statuses of responses that have the error, for `application/graphql-response+json`. */
  readonly http: readonly number[]
  /** Type of the error in the results of mutations. Undefined for errors that end the operation, or stand beside the data. */
  readonly type?: string
  readonly when: string
  readonly remedy: string
}

const INPUT = 'Fix the request.'
const WRITTEN = 'After a write: the change may have been made.'

/** Every code that an error can have in `extensions.code`. The documentation is generated from it. */
export const ERROR_CODES = [
  {
    code: 'BAD_USER_INPUT',
    http: [200, 400],
    type: 'InvalidInputError',
    when: 'An argument, a variable or a combination of them is wrong. The message names it and says what is allowed.',
    remedy: INPUT,
  },
  { code: 'GRAPHQL_PARSE_FAILED', http: [400], when: 'Syntax error in the GraphQL document.', remedy: INPUT },
  {
    code: 'GRAPHQL_VALIDATION_FAILED',
    http: [400],
    when: 'The document does not match the schema, such as a field that does not exist.',
    remedy: INPUT,
  },
  {
    code: 'BAD_REQUEST',
    http: [400, 405, 406, 415, 431],
    when: 'The HTTP request is not a GraphQL request: the query is missing, the body is not JSON, or a mutation was sent by GET. Or its `Accept`, its `Content-Type` or another header is not supported.',
    remedy: INPUT,
  },
  {
    code: 'LIMIT_EXCEEDED',
    http: [400],
    when: 'The document or the variables exceed a limit. `extensions.limit` is the name of the limit, `extensions.most` its value.',
    remedy: 'Ask for less. Operators: raise the limit.',
  },
  {
    code: 'ANSWER_TOO_LARGE',
    http: [200, 400],
    when: 'The data would be larger than a response may be, or the operation needs more memory than the gateway has.',
    remedy: 'Ask for less. Operators: raise `MAX_ANSWER_SIZE` or `MEMORY_BUDGET`.',
  },
  {
    code: 'PERSISTED_QUERY_NOT_FOUND',
    http: [400],
    when: 'The gateway does not know a document with this hash.',
    remedy: 'Send the document together with its hash. Clients do this automatically.',
  },
  {
    code: 'DOCUMENT_NOT_TRUSTED',
    http: [400],
    when: 'The gateway runs trusted documents only (`ONLY_TRUSTED`), and this document is not one of them.',
    remedy: 'Operators: add the document to the manifest.',
  },
  {
    code: 'REQUEST_TIMEOUT',
    http: [408],
    when: 'The request did not arrive in time.',
    remedy: 'Send it faster. Operators: raise `REQUEST_TIMEOUT`.',
  },
  {
    code: 'BODY_TOO_LARGE',
    http: [413],
    when: 'The body of the request is too large.',
    remedy: 'Send less. Operators: raise `MAX_BODY_BYTES`.',
  },
  {
    code: 'CALL_BUDGET_EXCEEDED',
    http: [200, 400],
    when: 'The operation is expected to need more REST calls than it may make (400), or it has already made that many (200).',
    remedy: 'Ask for less, as the message says, or split the operation. Operators: raise `MAX_CALLS`.',
  },
  {
    code: 'OPERATION_RESOLUTION_FAILURE',
    http: [400],
    when: 'The document has several operations, or none with the given name.',
    remedy: 'Send `operationName`.',
  },
  {
    code: 'UNAUTHENTICATED',
    http: [200, 401],
    type: 'UnauthenticatedError',
    when: 'The site requires credentials, or rejects those it received (it answered 401). Or the gateway requires a key or a token (401).',
    remedy: 'Sign in, or check the credentials.',
  },
  {
    code: 'FORBIDDEN',
    http: [200, 403],
    type: 'ForbiddenError',
    when: 'The credentials are valid but lack the permission (the site answered 403), or the password of the content is wrong. Or the caller may not have operations explained (403).',
    remedy: 'Ask for less, or sign in as another user.',
  },
  {
    code: 'NOT_FOUND',
    http: [200],
    type: 'NotFoundError',
    when: 'The parent of a list or the record to be changed does not exist, or the site does not have the route (it answered 404 or 410). A record that is asked for by id is null instead.',
    remedy: 'Check the id. Operators: check the address and the preset of the site.',
  },
  {
    code: 'NOT_AVAILABLE',
    http: [200],
    when: 'The site does not have the route that the field needs, such as that of images. By `SITE_ROUTES`, without a call; or the site has answered so.',
    remedy: 'Do without the field. Operators: let `lms-graphql doctor` find the routes, and open them on the site.',
  },
  {
    code: 'CONFLICT',
    http: [200],
    type: 'ConflictError',
    when: 'The state of the record does not allow the change: it is in the trash already, for example.',
    remedy: 'Read the record again.',
  },
  {
    code: 'RECORD_UNRESOLVED',
    http: [200],
    type: 'UpstreamError',
    when: 'A batch did not return the record, and the operation has already used its single reads for other records.',
    remedy: 'Ask for the record alone, or for fewer records at a time.',
  },
  {
    code: 'UPSTREAM_REJECTED',
    http: [200],
    type: 'UpstreamError',
    when: 'The site rejects a value that the gateway accepted (it answered with another 4xx).',
    remedy: 'See `extensions.upstream.code`.',
  },
  {
    code: 'SERVER_BUSY',
    http: [200, 503],
    when: 'The gateway is short of memory. The operation was not started (503), or ended early (200).',
    remedy: 'Try again after `extensions.retryAfter` seconds. Operators: raise `MEMORY_BUDGET`.',
  },
  {
    code: 'RATE_LIMITED',
    http: [429],
    when: 'The client has used up what one client may use per minute. `extensions.limit` is the name of the limit, `extensions.most` its value. Or, without these, the site has rejected too many credentials from this address. Nothing was run.',
    remedy: 'Try again after `extensions.retryAfter` seconds. Operators: see [Shares of clients](../protection.md#shares-of-clients).',
  },
  {
    code: 'UPSTREAM_BUSY',
    http: [200, 503],
    type: 'UpstreamError',
    when: 'The queue of REST calls is full, or the call waited in it for too long: the queue of the gateway, or that of the [proxy that limits the calls of several gateways](../replicas.md#one-limit-for-the-site). The site was not asked, so a change was not made.',
    remedy: 'Try again after `extensions.retryAfter` seconds.',
  },
  {
    code: 'CACHE_UNAVAILABLE',
    http: [200],
    type: 'UpstreamError',
    when: 'A mutation was not sent to the site, because the cache that several gateways share cannot be reached. They would show the old data.',
    remedy: 'Try again after `extensions.retryAfter` seconds. Operators: see `CACHE_STALENESS`.',
  },
  {
    code: 'UPSTREAM_RATE_LIMITED',
    http: [200],
    type: 'UpstreamError',
    when: 'The site limits the rate of requests (it answered 429).',
    remedy: 'Wait and try again.',
  },
  {
    code: 'UPSTREAM_UNAVAILABLE',
    http: [200, 503],
    type: 'UpstreamError',
    when: `The connection to the site failed or broke, or the site answered 5xx. Or the circuit breaker is open after too many failures, or the key set for tokens cannot be read (both 503 when a whole query fails). ${WRITTEN}`,
    remedy: 'Try again later.',
  },
  {
    code: 'UPSTREAM_TIMEOUT',
    http: [200],
    type: 'UpstreamError',
    when: `The site did not answer in time, or the operation took too long. ${WRITTEN}`,
    remedy: 'Try again, or ask for less.',
  },
  {
    code: 'UPSTREAM_INVALID_RESPONSE',
    http: [200],
    type: 'UpstreamError',
    when: `The response of the site is not what the REST interface promises. It is empty, truncated, too large, HTML or other text that is not JSON, not what its \`Content-Encoding\` says, a list instead of a record, another record, an error with status 200, or a redirect. ${WRITTEN}`,
    remedy: 'Operators: examine the site with `lms-graphql doctor`.',
  },
  {
    code: 'REQUEST_CANCELLED',
    http: [200],
    when: 'The gateway is closing. Or the client left before the response, and does not see the error.',
    remedy: 'Try again.',
  },
  {
    code: 'INTERNAL_SERVER_ERROR',
    http: [200, 500],
    when: 'A fault of the gateway. Its text is only in the log.',
    remedy: 'Report it.',
  },
] as const satisfies readonly ErrorCodeInfo[]

/** A code in `extensions.code` of an error. */
export type ErrorCode = (typeof ERROR_CODES)[number]['code']

/** Why a field of an input is invalid: each code, what it means, and which codes of WordPress have the same meaning. */
export const FIELD_CODES = {
  REQUIRED: { description: 'The value is missing or null.', wire: ['rest_missing_callback_param'] },
  TOO_LONG: { description: 'The text has more than `limit` characters.', wire: ['rest_too_long'] },
  TOO_SMALL: { description: 'The number is less than `limit`.', wire: [] },
  TOO_LARGE: { description: 'The number is greater than `limit`.', wire: [] },
  OUT_OF_RANGE: { description: 'The number is too small or too large for the site.', wire: ['rest_out_of_bounds'] },
  TOO_FEW: { description: 'The list has fewer than `limit` values.', wire: ['rest_too_few_items'] },
  TOO_MANY: { description: 'The list has more than `limit` values.', wire: ['rest_too_many_items'] },
  INVALID_FORMAT: {
    description: 'The value does not have the required form.',
    wire: ['rest_invalid_type', 'rest_invalid_pattern', 'rest_invalid_date', 'rest_invalid_url', 'rest_too_short'],
  },
  NOT_ONE_OF: { description: 'The value is not one of those that the site allows.', wire: ['rest_not_in_enum'] },
  NOT_FOUND: {
    description: 'The value refers to a record or a term that does not exist.',
    wire: ['rest_term_invalid', 'rest_invalid_author', 'rest_post_invalid_id'],
  },
  CONFLICT: { description: 'The value cannot be combined with that of another field.', wire: [] },
  REJECTED: { description: 'The site rejects the value for another reason.', wire: [] },
} as const satisfies Readonly<Record<string, { readonly description: string; readonly wire: readonly string[] }>>

/** A code in `InvalidField`. */
export type FieldCode = keyof typeof FIELD_CODES
