import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const BUILT = fileURLToPath(new URL('../../dist/graphiql/assets/', import.meta.url))

/** Bytes of all files that a browser can request, as they are sent: fonts are compressed already. */
const LARGEST = 2_300_000

it('has at most 2.3 MB in all files of the page', () => {
  const sizes = readdirSync(BUILT).map((file) =>
    /\.(?:gz|woff2?)$/.test(file) ? statSync(`${BUILT}${file}`).size : gzipSync(readFileSync(`${BUILT}${file}`)).length,
  )
  expect(sizes.length).toBeGreaterThan(20)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(LARGEST)
})
