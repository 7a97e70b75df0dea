import { Random } from '../seed/random.js'
import { type Bounds, Canvas, type Color, type Shape } from './png.js'

const WHITE: Color = [255, 255, 255]

/** A color by hue in degrees, and lightness from 0 to 1. */
function colorOf(hue: number, lightness: number): Color {
  const part = (offset: number): number => {
    const at = (offset + hue / 30) % 12
    return 255 * (lightness - 0.62 * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(at - 3, 9 - at, 1)))
  }
  return [part(0), part(8), part(4)]
}

const around = (x: number, y: number, width: number, height = width): Bounds => [x - width, y - height, x + width, y + height]

/** Paints shapes on a canvas. The same seed always gives the same numbers. */
class Painter {
  readonly #random: Random

  constructor(
    readonly canvas: Canvas,
    seed: number,
    readonly hue: number,
  ) {
    this.#random = new Random(seed)
  }

  between = (least: number, most: number): number => least + this.#random.next() * (most - least)

  /** A color whose hue is so many degrees from the main one. */
  tone = (turn: number, lightness: number): Color => colorOf((this.hue + turn + 720) % 360, lightness)

  background(from: Color, to: Color): void {
    const mix = (part: 0 | 1 | 2, share: number): number => from[part] + (to[part] - from[part]) * share
    const shareAt = (x: number, y: number): number => Math.min(1, Math.max(0, 0.5 + x * 0.3 + y * 0.6))
    this.canvas.paint(
      () => -1,
      (x, y) => [mix(0, shareAt(x, y)), mix(1, shareAt(x, y)), mix(2, shareAt(x, y))],
    )
  }

  circle(x: number, y: number, radius: number, color: Color, opacity = 1): void {
    this.canvas.paint((px, py) => Math.hypot(px - x, py - y) - radius, color, opacity, around(x, y, radius))
  }

  ring(x: number, y: number, radius: number, color: Color, opacity: number): void {
    this.canvas.paint((px, py) => Math.abs(Math.hypot(px - x, py - y) - radius) - 0.003, color, opacity, around(x, y, radius + 0.01))
  }

  /** A box with round corners. The point is its middle. */
  box(x: number, y: number, [width, height, corner = 0]: readonly number[], color: Color, opacity = 1): void {
    const shape: Shape = (px, py) => {
      const [dx, dy] = [Math.abs(px - x) - width! + corner, Math.abs(py - y) - height! + corner]
      return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(0, Math.max(dx, dy)) - corner
    }
    this.canvas.paint(shape, color, opacity, around(x, y, width!, height))
  }

  triangle(x: number, y: number, width: number, height: number, color: Color, opacity: number): void {
    const shape: Shape = (px, py) => Math.max(Math.abs(px - x) - (width * (py - y + height)) / (2 * height), Math.abs(py - y) - height)
    this.canvas.paint(shape, color, opacity, around(x, y, width, height))
  }

  line(x: number, y: number, [toX, toY, width]: readonly [number, number, number], color: Color, opacity = 1): void {
    const [dx, dy] = [toX - x, toY - y]
    const shape: Shape = (px, py) => {
      const share = Math.min(1, Math.max(0, ((px - x) * dx + (py - y) * dy) / (dx * dx + dy * dy)))
      return Math.hypot(px - x - dx * share, py - y - dy * share) - width
    }
    this.canvas.paint(shape, color, opacity, around(x + dx / 2, y + dy / 2, Math.abs(dx / 2) + width, Math.abs(dy / 2) + width))
  }

  /** A stroke in waves, over the whole width. */
  wave(y: number, [height, length, shift, width]: readonly [number, number, number, number], color: Color): void {
    const thickness = (px: number): number => width * (1.1 + Math.sin(px * 3 + shift) * 0.4)
    const shape: Shape = (px, py) => Math.abs(py - y - height * Math.sin(px * length + shift)) - thickness(px)
    this.canvas.paint(shape, color, 0.85, around(0, y, 9, height + width * 2))
  }
}

/** By area: the main hue of its pictures, and what they show. */
const MOTIFS: Readonly<Record<string, readonly [hue: number, paint: (painter: Painter) => void]>> = {
  Mathematics: [
    205,
    (painter) => {
      const { between, tone } = painter
      for (let at = -1; at <= 1; at += 0.0625) {
        painter.box(at, 0, [0.0012, 0.5], WHITE, 0.22)
        painter.box(0, at, [1, 0.0012], WHITE, 0.22)
      }
      for (let shape = 0; shape < 3; shape++) {
        const [x, y, radius] = [-0.4 + shape * 0.4, between(-0.14, 0.14), between(0.15, 0.25)]
        painter.circle(x, y, radius, tone(shape * 75 - 25, 0.66), 0.65)
        painter.ring(x, y, radius, WHITE, 0.9)
        painter.triangle(
          x + between(0.1, 0.2),
          between(-0.1, 0.2),
          between(0.1, 0.22),
          between(0.1, 0.2),
          tone(150 + shape * 50, 0.75),
          0.6,
        )
      }
    },
  ],
  Science: [
    232,
    (painter) => {
      const { between, tone } = painter
      painter.background(tone(10, 0.32), tone(30, 0.13))
      for (let star = 0; star < 60; star++) painter.circle(between(-0.9, 0.9), between(-0.5, 0.5), between(0.001, 0.004), WHITE, 0.7)
      const [x, y] = [between(-0.15, 0.15), between(-0.05, 0.08)]
      for (const glow of [0.2, 0.16, 0.13]) painter.circle(x, y, glow, [255, 214, 120], 0.25)
      painter.circle(x, y, 0.1, [255, 224, 140])
      for (const [index, path] of [0.24, 0.35, 0.48, 0.66].entries()) {
        const [angle, radius] = [between(-0.7, 0.7) + (index % 2) * Math.PI, between(0.025, 0.055)]
        const [px, py] = [x + path * Math.cos(angle), y + path * Math.sin(angle)]
        painter.ring(x, y, path, WHITE, 0.25)
        painter.circle(px, py, radius, tone(60 + index * 95, 0.64))
        painter.circle(px + radius * 0.25, py - radius * 0.2, radius * 0.6, tone(60 + index * 95, 0.8), 0.6)
      }
    },
  ],
  Humanities: [
    20,
    (painter) => {
      const { between, tone } = painter
      painter.circle(between(-0.5, 0.5), between(-0.28, -0.16), 0.1, [255, 240, 205], 0.95)
      painter.box(0, 0.2, [1, 0.2], tone(0, 0.87))
      painter.box(0, 0.005, [1, 0.022], tone(0, 0.76))
      for (let x = -1; x <= 1; x += 0.2) painter.box(x + 0.1, 0.24, [0.07, 0.17, 0.07], tone(-25, 0.3))
      painter.box(0, 0.46, [1, 0.06], tone(0, 0.66))
    },
  ],
  Languages: [
    280,
    (painter) => {
      const { between, tone } = painter
      for (const [index, x] of [-0.36, 0.3, -0.12].entries()) {
        const [y, width, height, color] = [-0.21 + index * 0.22, between(0.24, 0.3), between(0.1, 0.12), tone(index * 150, 0.84)]
        const side = index === 1 ? 1 : -1
        painter.line(x + side * width * 0.5, y + height * 0.7, [x + side * width * 0.7, y + height * 1.4, 0.018], color)
        painter.box(x, y, [width, height, 0.06], color)
        for (const row of [-0.045, 0, 0.045])
          painter.line(x - width * 0.72, y + row, [x + between(-0.2, 0.65) * width, y + row, 0.011], tone(index * 150, 0.45), 0.8)
      }
    },
  ],
  Arts: [
    335,
    (painter) => {
      const { between, tone } = painter
      for (let stroke = 0; stroke < 9; stroke++) {
        const wave = [between(0.03, 0.11), between(2, 5), between(0, 6.28), between(0.025, 0.055)] as const
        painter.wave(-0.44 + stroke * 0.11, wave, tone(stroke * 47, between(0.55, 0.8)))
      }
      for (let drop = 0; drop < 14; drop++) painter.circle(between(-0.85, 0.85), between(-0.45, 0.45), between(0.006, 0.02), WHITE, 0.75)
    },
  ],
  Technology: [
    170,
    (painter) => {
      const { between, tone } = painter
      const blocks = [-0.66, -0.22, 0.22, 0.66].map((x) => ({ x, y: Math.floor(between(-1, 2)) * 0.3 }))
      for (const [index, { x, y }] of blocks.entries()) {
        const next = blocks[index + 1] ?? { x: 1, y }
        painter.line(x, y, [x + 0.22, y, 0.008], WHITE, 0.8)
        painter.line(x + 0.22, y, [x + 0.22, next.y + 0.001, 0.008], WHITE, 0.8)
        painter.line(x + 0.22, next.y, [next.x, next.y, 0.008], WHITE, 0.8)
      }
      for (const { x, y } of blocks) {
        for (const other of [-0.3, 0, 0.3]) if (Math.abs(other - y) > 0.1) painter.box(x, other, [0.11, 0.07, 0.03], tone(20, 0.62), 0.35)
        painter.box(x, y, [0.13, 0.1, 0.03], tone(between(-30, 60), 0.82))
        for (const row of [-0.04, 0, 0.04]) painter.line(x - 0.08, y + row, [x + between(-0.03, 0.08), y + row, 0.009], tone(0, 0.4), 0.8)
      }
    },
  ],
  Business: [
    255,
    (painter) => {
      const { between, tone } = painter
      for (const y of [-0.3, -0.12, 0.06, 0.24]) painter.box(0, y, [1, 0.0015], WHITE, 0.35)
      let before: readonly [number, number] = [-0.85, 0.3]
      for (let column = 0; column < 8; column++) {
        const [x, height] = [-0.63 + column * 0.18, 0.06 + column * 0.035 + between(-0.03, 0.05)]
        const point = [x, 0.3 - height * 2] as const
        painter.box(x, 0.42 - height, [0.055, height, 0.015], tone(column * 9, 0.82), 0.95)
        painter.line(...before, [...point, 0.007], [255, 200, 90])
        painter.circle(...point, 0.018, WHITE)
        before = point
      }
    },
  ],
}

/** Draws a picture for a subject, given by its number and its area. The same id always gives the same picture. */
export function drawPicture(id: number, subject: number, area: string, width: number, height: number): Buffer {
  const canvas = new Canvas(width, height)
  const [hue, paint] = MOTIFS[area]!
  const painter = new Painter(canvas, id * 7919, hue + ((subject * 17 + id * 5) % 40) - 20)
  painter.background(painter.tone(-25, 0.64), painter.tone(25, 0.42))
  paint(painter)
  return canvas.toPng()
}

const SKINS: readonly Color[] = [
  [255, 219, 189],
  [234, 190, 152],
  [205, 150, 110],
  [150, 100, 70],
  [110, 72, 50],
]
const HAIRS: readonly Color[] = [
  [45, 34, 30],
  [90, 56, 37],
  [150, 90, 45],
  [214, 170, 90],
  [150, 150, 155],
]

/** Draws the head of a person. The same number always gives the same person. */
export function drawAvatar(number: number, width: number): Buffer {
  const canvas = new Canvas(width, width)
  const painter = new Painter(canvas, number * 104_729 + 5, (number * 137.5) % 360)
  const [skin, hair] = [SKINS, HAIRS].map((colors) => colors[Math.floor(painter.between(0, colors.length))]!) as [Color, Color]
  const length = painter.between(-0.1, 0.22)
  painter.background(painter.tone(0, 0.78), painter.tone(30, 0.62))
  painter.box(0, length / 2 - 0.08, [0.235, 0.22 + length / 2, 0.2], hair)
  painter.box(0, 0.55, [0.36, 0.24, 0.2], painter.tone(180, 0.4))
  painter.box(0, 0.26, [0.075, 0.12, 0.05], skin)
  painter.box(0, 0.2, [0.1, 0.03, 0.03], [60, 40, 30], 0.15)
  painter.box(0, 0.01, [0.17, 0.21, 0.16], skin)
  painter.box(painter.between(-0.05, 0.05), -0.2, [0.19, 0.075, 0.07], hair)
  for (const side of [-1, 1]) painter.circle(side * 0.065, 0, 0.018, [40, 30, 30])
  painter.box(0, 0.11, [0.045, 0.012, 0.012], [175, 75, 75])
  return canvas.toPng()
}
