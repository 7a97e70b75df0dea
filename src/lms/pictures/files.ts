/** A size of a picture. */
export interface Size {
  readonly name: string
  readonly width: number
  readonly height: number
}

/** The picture itself. */
export const FULL: Size = { name: 'full', width: 1280, height: 720 }

/** The sizes that WordPress makes of a picture. The first is cut at its sides. */
export const SIZES: readonly Size[] = [
  { name: 'thumbnail', width: 150, height: 150 },
  { name: 'medium', width: 300, height: 169 },
  { name: 'medium_large', width: 768, height: 432 },
  { name: 'large', width: 1024, height: 576 },
  FULL,
]

/** The sizes of the pictures of users, by their widths. */
export const AVATAR_SIZES: readonly Size[] = [24, 48, 96].map((width) => ({ name: String(width), width, height: width }))

/** The pictures of users. Users share them, so that paths do not tell which users exist. */
export const AVATARS: readonly string[] = Array.from({ length: 60 }, (_, number) => `avatar-${number}`)

/** First path segments of pictures. */
export const UPLOADS = '/wp-content/uploads'

/** The path of a picture in a size. `file` is its folder and name, such as `2021/09/physics-6`. */
export const picturePath = (file: string, size: Size): string =>
  `${UPLOADS}/${file}${size === FULL ? '' : `-${size.width}x${size.height}`}.png`
