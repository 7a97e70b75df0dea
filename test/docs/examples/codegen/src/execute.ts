import type { TypedDocumentString } from './gql/graphql.js'

/** The address of the gateway, and the credentials of the user. */
export interface Gateway {
  readonly url: string
  readonly authorization?: string | undefined
  /** Whether to send the hashes of documents in place of their texts. */
  readonly trusted?: boolean
}

/** Runs an operation. Rejects when a part of it failed. */
export async function execute<Result, Variables>(
  gateway: Gateway,
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(gateway.authorization && { authorization: gateway.authorization }) },
    body: JSON.stringify({ ...(gateway.trusted ? hashOf(document) : { query: document }), variables }),
  })
  const { data, errors } = (await response.json()) as { data: Result; errors?: readonly { readonly message: string }[] }
  if (errors) throw new Error(errors.map(({ message }) => message).join(' '))
  return data
}

const hashOf = ({ __meta__ }: TypedDocumentString<unknown, never>) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: __meta__?.hash } },
})
