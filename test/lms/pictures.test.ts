import { crc32, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import type { Json } from './world.js'

let lms: RunningLms
beforeAll(async () => {
  lms = await startLms()
})
afterAll(() => lms.close())

const json = async (path: string): Promise<any> => (await fetch(`${lms.url}/wp/v2/${path}`)).json()
const bytesOf = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer())

/** Width, height and pixels of a PNG file. Throws when it is not valid. */
function read(file: Buffer): { width: number; height: number; pixels: Buffer } {
  expect(file.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at)
    const body = file.subarray(at + 4, at + 8 + length)
    expect(file.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += length + 12
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND'])
  const header = chunks.get('IHDR')!
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const pixels = inflateSync(chunks.get('IDAT')!)
  expect(pixels.length).toBe(height * (width * 3 + 1))
  return { width, height, pixels }
}

describe('the files of a picture', () => {
  it('are valid PNG files of the sizes that its record says, whatever they show', async () => {
    const seen = new Set<string>()
    for (const { alt_text, media_details, source_url } of (await json('media?per_page=40')) as Json[]) {
      if (seen.has(alt_text.split(',')[0])) continue
      seen.add(alt_text.split(',')[0])
      const sizes = media_details.sizes as Record<string, Json>
      expect(Object.entries(sizes).map(([name, { width, height }]) => [name, width, height])).toEqual([
        ['thumbnail', 150, 150],
        ['medium', 300, 169],
        ['medium_large', 768, 432],
        ['large', 1024, 576],
        ['full', 1280, 720],
      ])
      expect(sizes.full).toMatchObject({ source_url, width: media_details.width, height: media_details.height })
      for (const size of Object.values(sizes)) {
        const { width, height, pixels } = read(await bytesOf(size.source_url))
        expect([width, height]).toEqual([size.width, size.height])
        expect(new Set(pixels).size).toBeGreaterThan(20)
      }
    }
    expect(seen.size).toBe(4)
  })

  it('are the same at each request and of each LMS, and of each picture others', async () => {
    const [first, second] = (await json('media?per_page=2&_fields=media_details')) as Json[]
    const url = first!.media_details.sizes.medium.source_url
    const file = await bytesOf(url)
    expect(await bytesOf(url)).toEqual(file)
    const other = await startLms()
    expect(await bytesOf(url.replace(lms.url, other.url))).toEqual(file)
    await other.close()
    expect(await bytesOf(second!.media_details.sizes.medium.source_url)).not.toEqual(file)
  })

  it('are for everybody, may be kept, and have a type', async () => {
    const { source_url } = await json('media/800142')
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(source_url, { method, headers: { authorization: 'Basic bm9ib2R5Ong=' } })
      expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
        200,
        'image/png',
        'public, max-age=86400',
      ])
      expect((await response.arrayBuffer()).byteLength > 0).toBe(method === 'GET')
    }
  })

  it('of users are heads in three widths, shared by many users', async () => {
    const { avatar_urls } = await json('users/5')
    for (const [name, url] of Object.entries<string>(avatar_urls)) {
      const { width, height } = read(await bytesOf(url))
      expect([String(width), String(height)]).toEqual([name, name])
    }
    const urls = new Set(((await json('users?per_page=100')) as Json[]).map(({ avatar_urls: own }) => own[96]))
    expect(urls.size).toBe(16)
  })

  it('have known names only', async () => {
    const { source_url } = await json('media/800142')
    const known = source_url.slice(lms.url.length)
    for (const path of [
      known.replace('.png', '-1x1.png'),
      known.replace('.png', '-150x151.png'),
      known.replace('.png', '.jpg'),
      known.replace(/uploads\/\d+/, 'uploads/1999'),
      known.replace('.png', '%2F.png'),
      '/wp-content/uploads/',
      '/wp-content/uploads/2021/09/nothing.png',
      '/wp-content/uploads/avatar-60-96x96.png',
      '/wp-content/uploads/avatar-05-96x96.png',
      '/wp-content/uploads/avatar-5-97x97.png',
      '/wp-content/uploads/%00.png',
      `/wp-content/uploads/${'a'.repeat(4000)}.png`,
    ]) {
      const response = await fetch(lms.url + path)
      expect([path, response.status, (await response.json()).code]).toEqual([path, 404, 'rest_no_route'])
    }
  })
})

it('authors, terms and pictures have pages at their link', async () => {
  for (const path of ['users/5', 'categories/700005', 'lms_course_tag/700019', 'media/800142']) {
    const { link, name, title } = await json(path)
    const response = await fetch(link)
    expect([path, response.status]).toEqual([path, 200])
    expect(await response.text()).toContain(`<h1>${name ?? title.rendered}</h1>`)
  }
  expect((await fetch(`${lms.url}/author/learner/`)).status).toBe(404)
})
