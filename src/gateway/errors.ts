import { GraphQLError } from 'graphql'
import { LmsError } from '../rest/errors.js'

/**
 * What clients see of an error: our own and the executor's as they are; anything else is a fault of ours, and its text goes to
 * `onFault` only.
 */
export const masking =
  (onFault: (fault: unknown) => void) =>
  (error: unknown): Error => {
    if (!(error instanceof GraphQLError)) {
      onFault(error)
      return new GraphQLError(FAULT.message, FAULT)
    }
    const { originalError, message, extensions } = error
    if (originalError === undefined || originalError instanceof GraphQLError) {
      const code = extensions.code ?? originalError?.extensions.code ?? 'BAD_USER_INPUT'
      return extensions.code === code ? error : at(error, message, { ...extensions, code })
    }
    if (originalError instanceof LmsError) return error
    onFault(originalError)
    return at(error, FAULT.message, FAULT.extensions)
  }

const FAULT = { message: 'Something went wrong in the gateway.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }

const at = ({ nodes, source, positions, path }: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError =>
  new GraphQLError(message, { nodes: nodes ?? null, source: source ?? null, positions: positions ?? null, path: path ?? null, extensions })
