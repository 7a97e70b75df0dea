/** Writes responses: as text by response writers, by graphql-js with resolvers, and in parts for `@defer` and `@stream`. */

export { computedField } from './computed.js'
export { TOO_LONG } from './field-writers.js'
export { jsonLength, mostCharacters, serverBusy, tooLong } from './length.js'
export { executeInParts, type PartsRequest } from './parts.js'
export { resolveEdge, viewerField } from './resolve.js'
export { type ResponseWriter, ResponseWriters } from './response-writer.js'
