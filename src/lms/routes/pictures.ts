import type { Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { RestError } from '../errors.js'
import { drawAvatar, drawPicture } from '../pictures/draw.js'
import { AVATAR_WIDTHS, avatarPath, fileName, folderOf, SIZES, UPLOADS } from '../pictures/files.js'
import { SUBJECTS } from '../seed/curriculum.js'
import type { Lms, Variables } from './answer.js'

/** Bytes of the drawn pictures that an LMS keeps. */
const MAX_BYTES = 16 * 1024 ** 2

const HEADERS = { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' }

/** The picture of a path below the folder of pictures; undefined for a path that no record has. */
function draw({ store }: Lms, path: string): Buffer | undefined {
  const number = Number(path.split('-')[1])
  const width = AVATAR_WIDTHS.find((each) => avatarPath(number, each) === path)
  if (width !== undefined) return drawAvatar(number, width)
  const [name = ''] = path.slice(path.lastIndexOf('/') + 1).split('.')
  const slugs = [name, name.slice(0, name.lastIndexOf('-'))]
  const row = store.row('SELECT id, subject, date, slug FROM media WHERE slug IN (?, ?)', ...slugs)
  const found = row && SIZES.find((each) => `/${folderOf(String(row[2]))}/${fileName(String(row[3]), each)}` === path)
  return found && drawPicture(Number(row[0]), Number(row[1]), SUBJECTS[Number(row[1])]!.area, found.width, found.height)
}

/** Routes of pictures, as files that everybody may read. They are drawn when they are first requested. */
export function addPictureRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const drawn = new LRUCache<string, Buffer>({ maxSize: MAX_BYTES, sizeCalculation: ({ length }) => length })
  app.get(`${UPLOADS}/*`, (call) => {
    const path = call.req.path.slice(UPLOADS.length)
    const bytes = drawn.get(path) ?? draw(lms, path)
    if (!bytes) throw new RestError(404, 'rest_no_route', 'There is no such file.')
    drawn.set(path, bytes)
    call.set('bytes', call.req.method === 'HEAD' ? 0 : bytes.length)
    return call.body(new Uint8Array(bytes), 200, HEADERS)
  })
}
