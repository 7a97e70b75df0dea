import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** 8 bits each of red, green and blue. */
const FORMAT = [8, 2, 0, 0, 0]

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(data.length + 12)
  made.writeUInt32BE(data.length)
  made.write(type, 4, 'latin1')
  data.copy(made, 8)
  made.writeUInt32BE(crc32(made.subarray(4, -4)), data.length + 8)
  return made
}

/** A PNG file of pixels of three bytes. */
export function pngOf(pixels: Buffer, width: number): Buffer {
  const line = width * 3
  const height = pixels.length / line
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, ...FORMAT])
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  const rows = Buffer.alloc(pixels.length + height)
  for (let at = 0; at < pixels.length; at++) {
    const row = Math.floor(at / line)
    // Each row has the differences from the row above, which are compressed best.
    rows[row * (line + 1)] = 2
    rows[at + row + 1] = pixels[at]! - (pixels[at - line] ?? 0)
  }
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}
