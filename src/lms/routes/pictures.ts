import type { Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { RestError } from '../errors.js'
import { drawAvatar, drawPicture } from '../pictures/draw.js'
import { AVATAR_SIZES, AVATARS, picturePath, SIZES, UPLOADS } from '../pictures/files.js'
import { SUBJECTS } from '../seed/curriculum.js'
import type { Lms, Variables } from './answer.js'

/** Bytes of the drawn pictures that an LMS keeps. */
const MAX_BYTES = 16 * 1024 ** 2

const HEADERS = { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' }

/** The picture at a path; undefined for a path that no record has. */
function draw({ store }: Lms, path: string): Buffer | undefined {
  const file = path.slice(UPLOADS.length + 1).replace(/(-\d+x\d+)?\.png$/, '')
  const avatar = AVATARS.indexOf(file)
  const size = (avatar < 0 ? SIZES : AVATAR_SIZES).find((each) => picturePath(file, each) === path)
  if (!size) return undefined
  if (avatar >= 0) return drawAvatar(avatar, size.width)
  const [id, subject] = store.row('SELECT id, subject FROM media WHERE file = ?', file)?.map(Number) ?? []
  return id === undefined ? undefined : drawPicture(id, SUBJECTS[subject!]!.area, size)
}

/** Routes of pictures, as files that everybody may read. They are drawn when they are first requested. */
export function addPictureRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const drawn = new LRUCache<string, Buffer>({ maxSize: MAX_BYTES, sizeCalculation: ({ length }) => length })
  app.get(`${UPLOADS}/*`, (call) => {
    const { path } = call.req
    const bytes = drawn.get(path) ?? draw(lms, path)
    if (!bytes) throw new RestError(404, 'rest_no_route', 'There is no such file.')
    drawn.set(path, bytes)
    call.set('bytes', call.req.method === 'HEAD' ? 0 : bytes.length)
    return call.body(new Uint8Array(bytes), 200, HEADERS)
  })
}
