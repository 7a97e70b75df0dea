import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

const UNPACK: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  identity: (body) => body as Buffer<ArrayBuffer>,
}

/**
 * A body as it was before its `Content-Encoding`, which no site is asked for but some send all the same. `too large` when it has more than
 * `maxBytes`, and nothing when it is not what the header says.
 */
export function unpack(body: Buffer, encoding: string, maxBytes: number): Buffer | 'too large' | undefined {
  const name = encoding.trim().toLowerCase()
  if (!Object.hasOwn(UNPACK, name)) return undefined
  try {
    return UNPACK[name]?.(body, { maxOutputLength: maxBytes })
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : undefined
  }
}
