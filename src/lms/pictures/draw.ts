import { Random } from '../seed/random.js'
import { pngOf } from './png.js'

type Color = readonly [red: number, green: number, blue: number]

/**
 * A box with round corners around a point. The height of the picture is 1, and 0, 0 is its middle. The color has a hue, in degrees from
 * that of the picture, and a lightness. A box with a line has only its edge.
 */
type Box = readonly [x: number, y: number, size: readonly [width: number, height: number, corner: number], ...Look]
type Look = readonly [turn: number, lightness: number, opacity?: number, line?: number]

type Between = (least: number, most: number) => number

/** A color by hue in degrees, and lightness from 0 to 1. */
function colorOf(hue: number, lightness: number): Color {
  const part = (offset: number): number => {
    const at = (offset + ((hue + 720) % 360) / 30) % 12
    return 255 * (lightness - 0.62 * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(at - 3, 9 - at, 1)))
  }
  return [part(0), part(8), part(4)]
}

const circle = (x: number, y: number, radius: number, ...look: Look): Box => [x, y, [radius, radius, radius], ...look]
const WHITE: Look = [0, 1, 0.25]

const repeat = (count: number, make: (index: number) => readonly Box[]): Box[] => Array.from({ length: count }, (_, at) => make(at)).flat()

/** Lines of text, as bars. */
const writing = (x: number, y: number, width: number, between: Between, turn: number): Box[] =>
  repeat(3, (row) => {
    const length = between(0.3, 0.8) * width
    return [[x - width * 0.8 + length, y + (row - 1) * 0.05, [length, 0.012, 0.012], turn, 0.42, 0.8]]
  })

/** By area: the hue of its pictures, and what they show. */
const MOTIFS: Readonly<Record<string, readonly [hue: number, boxes: (between: Between) => readonly Box[]]>> = {
  Mathematics: [
    205,
    (between) => [
      ...repeat(33, (at) => [
        [at / 16 - 1, 0, [0.0012, 0.5, 0], ...WHITE],
        [0, at / 16 - 1, [1, 0.0012, 0], ...WHITE],
      ]),
      ...repeat(4, (at) => {
        const [x, y, radius] = [-0.54 + at * 0.36, between(-0.18, 0.18), between(0.13, 0.25)]
        return [circle(x, y, radius, at * 75 - 25, 0.68, 0.65), circle(x, y, radius, 0, 1, 0.9, 0.004)]
      }),
      ...repeat(2, (at) => [[-0.2 + at * 0.5, between(-0.2, 0.2), [0.16, 0.16, 0], 150 + at * 60, 0.8, 0.5]]),
    ],
  ],
  Science: [
    232,
    (between) => [
      [0, 0, [1, 0.5, 0], 20, 0.14, 0.72],
      ...repeat(60, () => [circle(between(-0.9, 0.9), between(-0.5, 0.5), between(0.001, 0.004), 0, 1, 0.7)]),
      ...repeat(4, (at) => [circle(0, 0, 0.22 - at * 0.04, -187, 0.75 + at * 0.03, at < 3 ? 0.3 : 1)]),
      ...repeat(4, (at) => {
        const [path, angle, radius] = [0.26 + at * 0.13, between(-0.7, 0.7) + (at % 2) * Math.PI, between(0.025, 0.055)]
        const [x, y] = [path * Math.cos(angle), path * Math.sin(angle)]
        const light = circle(x + radius * 0.25, y - radius * 0.2, radius * 0.6, 60 + at * 95, 0.8, 0.6)
        return [circle(0, 0, path, 0, 1, 0.25, 0.003), circle(x, y, radius, 60 + at * 95, 0.64), light]
      }),
    ],
  ],
  Humanities: [
    20,
    (between) => [
      circle(between(-0.5, 0.5), between(-0.28, -0.16), 0.1, 25, 0.9),
      [0, 0.2, [1, 0.2, 0], 0, 0.87],
      [0, 0, [1, 0.02, 0], 0, 0.76],
      ...repeat(11, (at): Box[] => [[at / 5 - 1, 0.24, [0.07, 0.17, 0.07], -25, 0.3]]),
      [0, 0.46, [1, 0.06, 0], 0, 0.66],
    ],
  ],
  Languages: [
    280,
    (between) =>
      repeat(3, (at) => {
        const [x, y, width, turn, side] = [[-0.36, 0.3, -0.12][at]!, at * 0.22 - 0.21, between(0.24, 0.3), at * 150, at === 1 ? 1 : -1]
        const tail = [0, 1].map((step) =>
          circle(x + side * width * (0.5 + step * 0.16), y + 0.12 + step * 0.04, 0.03 - step * 0.013, turn, 0.84),
        )
        return [...tail, [x, y, [width, 0.11, 0.06], turn, 0.84], ...writing(x, y, width, between, turn)]
      }),
  ],
  Arts: [
    335,
    (between) => [
      ...repeat(16, (at) => [circle(between(-0.8, 0.8), between(-0.4, 0.4), between(0.06, 0.26), at * 47, between(0.55, 0.8), 0.6)]),
      ...repeat(14, () => [circle(between(-0.85, 0.85), between(-0.45, 0.45), between(0.006, 0.02), 0, 1, 0.75)]),
    ],
  ],
  Technology: [
    170,
    (between) => [
      ...repeat(3, (row) => [[0, row * 0.3 - 0.3, [1, 0.007, 0], 0, 1, 0.7]]),
      ...repeat(5, (at) => [[at * 0.37 - 0.74, Math.floor(between(0, 2)) * 0.3 - 0.15, [0.007, 0.15, 0], 0, 1, 0.7]]),
      ...repeat(12, (at) => {
        const [x, y, turn] = [(at % 4) * 0.37 - 0.555, Math.floor(at / 4) * 0.3 - 0.3, between(-30, 60)]
        return between(0, 1) < 0.4
          ? [circle(x, y, 0.03, turn, 0.8)]
          : [[x, y, [0.12, 0.1, 0.03], turn, 0.84], ...writing(x, y, 0.1, between, turn)]
      }),
    ],
  ],
  Business: [
    255,
    (between) => [
      ...repeat(4, (row) => [[0, row * 0.18 - 0.3, [1, 0.0015, 0], ...WHITE]]),
      ...repeat(8, (at) => {
        const [x, height] = [at * 0.18 - 0.63, 0.06 + at * 0.035 + between(-0.03, 0.05)]
        return [[x, 0.42 - height, [0.055, height, 0.015], at * 9, 0.82, 0.95], circle(x, 0.34 - height * 2, 0.022, -210, 0.7)]
      }),
    ],
  ],
}

/** Paints boxes on a background whose color changes from one corner to the other. */
function paint(boxes: readonly Box[], hue: number, width: number, height: number): Buffer {
  const pixels = Buffer.alloc(width * height * 3)
  const mix = (at: number, color: Color, share: number): void => {
    for (let part = 0; part < 3; part++) pixels[at + part] = pixels[at + part]! + (color[part]! - pixels[at + part]!) * share + 0.5
  }
  const fill = (shareAt: (x: number, y: number) => number, color: Color, [x, y, across, down]: readonly number[]): void => {
    const columns = [x! - across!, x! + across!].map((side) => Math.round(side * height + width / 2)) as [number, number]
    const rows = [y! - down!, y! + down!].map((side) => Math.round((side + 0.5) * height)) as [number, number]
    for (let row = Math.max(0, rows[0] - 1); row < Math.min(height, rows[1] + 1); row++)
      for (let column = Math.max(0, columns[0] - 1); column < Math.min(width, columns[1] + 1); column++) {
        const share = shareAt((column + 0.5 - width / 2) / height, (row + 0.5) / height - 0.5)
        if (share > 0) mix((row * width + column) * 3, color, Math.min(1, share))
      }
  }
  fill(() => 1, colorOf(hue - 25, 0.64), [0, 0, 9, 9])
  fill((x, y) => 0.5 + x * 0.3 + y * 0.6, colorOf(hue + 25, 0.42), [0, 0, 9, 9])
  for (const [x, y, [halfWidth, halfHeight, corner], turn, lightness, opacity = 1, line] of boxes) {
    const distance = (px: number, py: number): number => {
      const [dx, dy] = [Math.abs(px - x) - halfWidth + corner, Math.abs(py - y) - halfHeight + corner]
      const outside = Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(0, Math.max(dx, dy)) - corner
      return line ? Math.abs(outside) - line : outside
    }
    const shareAt = (px: number, py: number): number => Math.min(1, 0.5 - distance(px, py) * height) * opacity
    fill(shareAt, colorOf(hue + turn, lightness), [x, y, halfWidth + (line ?? 0), halfHeight + (line ?? 0)])
  }
  return pngOf(pixels, width)
}

const betweenOf = (seed: number): Between => {
  const random = new Random(seed)
  return (least, most) => least + random.next() * (most - least)
}

/** Draws a picture of an area for a subject, given by its number. The same id always gives the same picture. */
export function drawPicture(id: number, subject: number, area: string, width: number, height: number): Buffer {
  const [hue, boxes] = MOTIFS[area]!
  return paint(boxes(betweenOf(id * 7919)), hue + ((subject * 17 + id * 5) % 40) - 20, width, height)
}

/** Draws the head of a person. The same number always gives the same person. */
export function drawAvatar(number: number, width: number): Buffer {
  const between = betweenOf(number * 104_729 + 5)
  const [hue, length] = [(number * 137.5) % 360, between(-0.1, 0.22)]
  const [skin, hair] = [
    [24 - hue, between(0, 1) < 0.4 ? between(0.2, 0.3) : between(0.7, 0.87)],
    [between(15, 45) - hue, between(0.12, 0.5)],
  ] as const
  const face: Box[] = [
    [0, length / 2 - 0.08, [0.235, 0.22 + length / 2, 0.2], ...hair],
    [0, 0.55, [0.36, 0.24, 0.2], 180, 0.4],
    [0, 0.26, [0.075, 0.12, 0.05], ...skin],
    [0, 0.01, [0.17, 0.21, 0.16], ...skin],
    [between(-0.05, 0.05), -0.2, [0.19, 0.075, 0.07], ...hair],
    ...[-0.065, 0.065].map((x) => circle(x, 0, 0.018, 0, 0.1)),
    [0, 0.11, [0.045, 0.012, 0.012], -hue, 0.45],
  ]
  return paint(face, hue, width, width)
}
