import type { Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { RestError } from '../errors.js'
import { drawAvatar, drawPicture } from '../pictures/draw.js'
import { AVATAR_WIDTHS, avatarPath, fileName, folderOf, SIZES, UPLOADS } from '../pictures/files.js'
import { SUBJECTS } from '../seed/curriculum.js'
import type { Lms, Variables } from './answer.js'

/** Bytes of the drawn pictures that are kept. */
const MAX_BYTES = 16 * 1024 ** 2

/** Drawn pictures by path. They depend on nothing else, so that several sites share them. */
const drawn = new LRUCache<string, Buffer>({ maxSize: MAX_BYTES, sizeCalculation: ({ length }) => length })

const PICTURE = /^(.+?)(-\d+x\d+)?\.png$/
const AVATAR = /^\/avatar-(\d{1,3})-(\d\d)x/

const HEADERS = { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' }

/** The picture of a path below the folder of pictures; undefined for a path that no record has. */
function draw({ store }: Lms, path: string): Buffer | undefined {
  const [, number, size] = AVATAR.exec(path) ?? []
  const width = AVATAR_WIDTHS.find((each) => avatarPath(Number(number), each) === path)
  if (size !== undefined) return width && drawAvatar(Number(number), width)
  const name = path.slice(path.lastIndexOf('/') + 1)
  const [, slug = ''] = PICTURE.exec(name) ?? []
  const row = store.row('SELECT id, subject, date FROM media WHERE slug = ?', slug)
  const found = row && SIZES.find((each) => `/${folderOf(String(row[2]))}/${fileName(slug, each)}` === path)
  return found && drawPicture(Number(row[0]), Number(row[1]), SUBJECTS[Number(row[1])]!.area, found.width, found.height)
}

/** Routes of pictures, as files that everybody may read. They are drawn when they are first requested. */
export function addPictureRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  app.get(`${UPLOADS}/*`, (call) => {
    const path = call.req.path.slice(UPLOADS.length)
    const bytes = drawn.get(path) ?? draw(lms, path)
    if (!bytes) throw new RestError(404, 'rest_no_route', 'There is no such file.')
    drawn.set(path, bytes)
    call.set('bytes', call.req.method === 'HEAD' ? 0 : bytes.length)
    return call.body(new Uint8Array(bytes), 200, HEADERS)
  })
}
