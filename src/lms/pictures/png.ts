import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Red, green and blue, from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number]

/** Tells how far a point is outside of a shape; a negative number is inside. */
export type Shape = (x: number, y: number) => number

/** The smallest rectangle around a shape. */
export type Bounds = readonly [left: number, top: number, right: number, bottom: number]

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(data.length + 12)
  made.writeUInt32BE(data.length)
  made.write(type, 4, 'latin1')
  data.copy(made, 8)
  made.writeUInt32BE(crc32(made.subarray(4, -4)), data.length + 8)
  return made
}

/**
 * A picture to paint on. Its height is 1, and the point 0, 0 is in its middle, so that what is painted has the same place at every size,
 * and a narrow picture shows the middle of a wide one.
 */
export class Canvas {
  readonly #pixels: Buffer

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#pixels = Buffer.alloc(width * height * 3)
  }

  /** Mixes a color into the pixels of a shape. Pixels at its edge get a part of it. */
  paint(shape: Shape, color: Color | ((x: number, y: number) => Color), opacity = 1, bounds: Bounds = [-9, -9, 9, 9]): void {
    const { width, height } = this
    const column = (x: number): number => x * height + width / 2
    const [left, right] = [Math.max(0, Math.floor(column(bounds[0])) - 1), Math.min(width, Math.ceil(column(bounds[2])) + 1)]
    const [top, bottom] = [bounds[1], bounds[3]].map((y) => (y + 0.5) * height) as [number, number]
    for (let row = Math.max(0, Math.floor(top) - 1); row < Math.min(height, Math.ceil(bottom) + 1); row++) {
      for (let at = left; at < right; at++) {
        const [x, y] = [(at + 0.5 - width / 2) / height, (row + 0.5) / height - 0.5]
        const share = Math.min(1, 0.5 - shape(x, y) * height) * opacity
        if (share <= 0) continue
        const given = typeof color === 'function' ? color(x, y) : color
        for (let part = 0, pixel = (row * width + at) * 3; part < 3; part++, pixel++)
          this.#pixels[pixel] = this.#pixels[pixel]! + (given[part]! - this.#pixels[pixel]!) * share + 0.5
      }
    }
  }

  /** The picture as a PNG file. */
  toPng(): Buffer {
    const [line, header] = [this.width * 3, Buffer.from('00000000000000000802000000', 'hex')]
    header.writeUInt32BE(this.width)
    header.writeUInt32BE(this.height, 4)
    const rows = Buffer.alloc((line + 1) * this.height)
    for (let row = 0; row < this.height; row++) {
      const [from, to] = [row * line, row * (line + 1)]
      // The differences from the row above are compressed best.
      rows[to] = 2
      for (let at = 0; at < line; at++) rows[to + 1 + at] = this.#pixels[from + at]! - (this.#pixels[from + at - line] ?? 0)
    }
    return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
  }
}
