import { Random } from '../seed/random.js'
import type { Size } from './files.js'
import { pngOf } from './png.js'

type Color = readonly [red: number, green: number, blue: number]

/**
 * A box with round corners around a point. The height of the picture is 1, and 0, 0 is its middle. The color has a hue, in degrees from
 * that of the picture, and a lightness.
 */
type Box = readonly [x: number, y: number, size: readonly [width: number, height: number, corner: number], ...Look]
type Look = readonly [turn: number, lightness: number, opacity?: number]

type Between = (least: number, most: number) => number

/** What a picture shows, in words and as boxes from the back to the front. */
interface Motif {
  readonly words: string
  readonly boxes: (between: Between) => readonly Box[]
}

const circle = (x: number, y: number, radius: number, ...look: Look): Box => [x, y, [radius, radius, radius], ...look]

const repeat = (count: number, make: (index: number) => readonly Box[]): Box[] => Array.from({ length: count }, (_, at) => make(at)).flat()

const DOTS: Motif = {
  words: 'Circles in many colours',
  boxes: (between) => [
    ...repeat(16, (at) => [circle(between(-0.8, 0.8), between(-0.4, 0.4), between(0.06, 0.26), at * 47, between(0.55, 0.8), 0.6)]),
    ...repeat(14, () => [circle(between(-0.85, 0.85), between(-0.45, 0.45), between(0.006, 0.02), 0, 1, 0.75)]),
  ],
}

const PLANETS: Motif = {
  words: 'Planets around a sun',
  boxes: (between) => [
    [0, 0, [1, 0.5, 0], 20, 0.14, 0.72],
    ...repeat(60, () => [circle(between(-0.9, 0.9), between(-0.5, 0.5), between(0.001, 0.004), 0, 1, 0.7)]),
    ...repeat(4, (at) => [circle(0, 0, 0.22 - at * 0.04, -187, 0.75 + at * 0.03, at < 3 ? 0.3 : 1)]),
    ...repeat(5, (at) => {
      const [path, angle, radius] = [0.26 + at * 0.12, between(-0.7, 0.7) + (at % 2) * Math.PI, between(0.025, 0.06)]
      const [x, y] = [path * Math.cos(angle), path * Math.sin(angle)]
      const light = circle(x + radius * 0.25, y - radius * 0.2, radius * 0.6, 60 + at * 95, 0.8, 0.6)
      return [circle(x, y, radius, 60 + at * 95, 0.64), light]
    }),
  ],
}

const BUBBLES: Motif = {
  words: 'Speech bubbles',
  boxes: (between) =>
    repeat(3, (at) => {
      const [x, y, width, turn, side] = [[-0.36, 0.3, -0.12][at]!, at * 0.22 - 0.21, between(0.24, 0.3), at * 150, at === 1 ? 1 : -1]
      const tail = [0, 1].map((step) =>
        circle(x + side * width * (0.5 + step * 0.16), y + 0.12 + step * 0.04, 0.03 - step * 0.013, turn, 0.84),
      )
      const lines = repeat(3, (row) => {
        const length = between(0.3, 0.8) * width
        return [[x - width * 0.8 + length, y + (row - 1) * 0.05, [length, 0.012, 0.012], turn, 0.42, 0.8]]
      })
      return [...tail, [x, y, [width, 0.11, 0.06], turn, 0.84], ...lines]
    }),
}

const COLUMNS: Motif = {
  words: 'Rising columns',
  boxes: (between) => [
    ...repeat(4, (row) => [[0, row * 0.18 - 0.3, [1, 0.0015, 0], 0, 1, 0.25]]),
    ...repeat(8, (at) => {
      const [x, height] = [at * 0.18 - 0.63, 0.06 + at * 0.035 + between(-0.03, 0.05)]
      return [[x, 0.42 - height, [0.055, height, 0.015], at * 9, 0.82, 0.95], circle(x, 0.34 - height * 2, 0.022, -210, 0.7)]
    }),
  ],
}

/** The hue and the motif of the pictures of each area. */
const AREAS: Readonly<Record<string, readonly [hue: number, motif: Motif]>> = {
  Mathematics: [205, DOTS],
  Science: [232, PLANETS],
  Humanities: [20, BUBBLES],
  Languages: [280, BUBBLES],
  Arts: [335, DOTS],
  Technology: [170, COLUMNS],
  Business: [255, COLUMNS],
}

/** A color by hue in degrees, and lightness from 0 to 1. */
function colorOf(hue: number, lightness: number): Color {
  const part = (offset: number): number => {
    const at = (offset + ((hue + 720) % 360) / 30) % 12
    return 255 * (lightness - 0.62 * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(at - 3, 9 - at, 1)))
  }
  return [part(0), part(8), part(4)]
}

/** Paints boxes on a background whose color changes from one corner to the other. */
function paint(boxes: readonly Box[], hue: number, { width, height }: Pick<Size, 'width' | 'height'>): Buffer {
  const pixels = Buffer.alloc(width * height * 3)
  const fill = ([x, y, [across, down, corner], turn, lightness, opacity = 1]: Box, fade?: (x: number, y: number) => number): void => {
    const color = colorOf(hue + turn, lightness)
    const [left, right] = [x - across, x + across].map((side) => Math.round(side * height + width / 2)) as [number, number]
    const [top, bottom] = [y - down, y + down].map((side) => Math.round((side + 0.5) * height)) as [number, number]
    for (let row = Math.max(0, top - 1); row < Math.min(height, bottom + 1); row++)
      for (let column = Math.max(0, left - 1); column < Math.min(width, right + 1); column++) {
        const [px, py] = [(column + 0.5 - width / 2) / height, (row + 0.5) / height - 0.5]
        const [dx, dy] = [Math.abs(px - x) - across + corner, Math.abs(py - y) - down + corner]
        const outside = Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(0, Math.max(dx, dy)) - corner
        const share = Math.max(0, Math.min(1, 0.5 - outside * height)) * (fade?.(px, py) ?? opacity)
        for (let part = 0; part < 3; part++) {
          const at = (row * width + column) * 3 + part
          pixels[at] = pixels[at]! + (color[part]! - pixels[at]!) * share + 0.5
        }
      }
  }
  fill([0, 0, [9, 9, 0], -25, 0.64])
  fill([0, 0, [9, 9, 0], 25, 0.42], (x, y) => Math.max(0, Math.min(1, 0.5 + x * 0.3 + y * 0.6)))
  for (const box of boxes) fill(box)
  return pngOf(pixels, width)
}

const betweenOf = (seed: number): Between => {
  const random = new Random(seed)
  return (least, most) => least + random.next() * (most - least)
}

/** What the pictures of an area show, in words. */
export const motifOf = (area: string): string => AREAS[area]![1].words

/** Draws a picture of an area. The same id always gives the same picture. */
export function drawPicture(id: number, area: string, size: Size): Buffer {
  const [hue, { boxes }] = AREAS[area]!
  return paint(boxes(betweenOf(id * 7919)), hue + ((id * 22) % 40) - 20, size)
}

/** Draws the head of a person. The same number always gives the same person. */
export function drawAvatar(number: number, width: number): Buffer {
  const between = betweenOf(number * 104_729 + 5)
  const [hue, length] = [(number * 137.5) % 360, between(-0.1, 0.22)]
  const skin = [24 - hue, between(0, 1) < 0.4 ? between(0.2, 0.3) : between(0.7, 0.87)] as const
  const hair = [between(15, 45) - hue, between(0.12, 0.5)] as const
  const face: Box[] = [
    [0, length / 2 - 0.08, [0.235, 0.22 + length / 2, 0.2], ...hair],
    [0, 0.55, [0.36, 0.24, 0.2], 180, 0.4],
    [0, 0.26, [0.075, 0.12, 0.05], ...skin],
    [0, 0.01, [0.17, 0.21, 0.16], ...skin],
    [between(-0.05, 0.05), -0.2, [0.19, 0.075, 0.07], ...hair],
    ...[-0.065, 0.065].map((x) => circle(x, 0, 0.018, 0, 0.1)),
    [0, 0.11, [0.045, 0.012, 0.012], -hue, 0.45],
  ]
  return paint(face, hue, { width, height: width })
}
