/** An operation as the editors have it. */
export interface SharedOperation {
  query: string
  variables: string
  /** Which operation of the document, if it has several. */
  operationName?: string | undefined
}

/** A link that cannot be made or opened. The message is for the person at the page. */
export class LinkError extends Error {}

const NAME = '#operation='

/** Most characters of a link behind the `#`. Browsers and chats cut longer ones. */
const MAX_LINK = 16_000
/** Most characters of an operation. The gateway refuses larger ones by default. */
const MAX_TEXT = 100_000

/** The fragment of an address that holds an operation, compressed. Throws a `LinkError` if it is too large. */
export async function toFragment({ query, variables, operationName }: SharedOperation): Promise<string> {
  const text = JSON.stringify({ query, ...(variables.trim() !== '' && { variables }), ...(operationName && { operationName }) })
  const bytes = await pass(text, new CompressionStream('deflate-raw'))
  const fragment = NAME + toBase64Url(bytes)
  if (text.length > MAX_TEXT || fragment.length > MAX_LINK)
    throw new LinkError('This operation is too large for a link. Copy it as curl or as TypeScript.')
  return fragment
}

/** The operation in the fragment of an address; undefined when there is none. Throws a `LinkError` if it cannot be read. */
export async function fromFragment(fragment: string): Promise<SharedOperation | undefined> {
  if (!fragment.startsWith(NAME)) return undefined
  if (fragment.length > MAX_LINK) throw new LinkError('The link is too large.')
  let content: unknown
  try {
    const text = await pass(fromBase64Url(fragment.slice(NAME.length)), new DecompressionStream('deflate-raw'))
    content = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch {
    throw new LinkError('The link is damaged. Part of it may be missing: copy it again as a whole.')
  }
  const { query, variables = '', operationName } = Object(content)
  const isText = (value: unknown) => typeof value === 'string'
  if (!isText(query) || !isText(variables) || !(operationName === undefined || isText(operationName))) {
    throw new LinkError('The link does not hold an operation.')
  }
  if (query.length + variables.length > MAX_TEXT) throw new LinkError('The link is too large.')
  return { query, variables, operationName }
}

/** Passes bytes through a stream. Nothing needs a bound here: deflate makes a text at most some thousand times longer than a link. */
async function pass(
  bytes: BlobPart,
  through: ReadableWritablePair<Uint8Array<ArrayBuffer>, BufferSource>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer())
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
