/** A size of a picture. */
export interface Size {
  readonly name: string
  readonly width: number
  readonly height: number
}

/** The sizes that WordPress makes of a picture. The last is the picture itself; the first is cut at its sides. */
export const SIZES: readonly Size[] = [
  { name: 'thumbnail', width: 150, height: 150 },
  { name: 'medium', width: 300, height: 169 },
  { name: 'medium_large', width: 768, height: 432 },
  { name: 'large', width: 1024, height: 576 },
  { name: 'full', width: 1280, height: 720 },
]

/** Widths of the pictures of users. */
export const AVATAR_WIDTHS = [24, 48, 96] as const

/** Number of different pictures of users. */
const AVATARS = 60

/** First path segments of pictures. */
export const UPLOADS = '/wp-content/uploads'

/** The name of the file of a picture in a size, without its folder. */
export const fileName = (slug: string, { name, width, height }: Size): string =>
  name === 'full' ? `${slug}.png` : `${slug}-${width}x${height}.png`

/** The folder of a picture of a date, such as `2021/09`. */
export const folderOf = (date: string): string => date.slice(0, 7).replace('-', '/')

/** The path of the picture of a user, below that of all pictures. Users share pictures, so that paths do not tell which users exist. */
export const avatarPath = (user: number, width: number): string => `/avatar-${user % AVATARS}-${width}x${width}.png`
