// Writes a plot as SVG: panels with logarithmic axes, readable on light and dark pages.

import { largest } from './exponent.mjs'

const [COLUMNS, WIDTH, HEIGHT] = [2, 400, 300]
/** Around the axes of a panel. */
const MARGIN = { left: 62, right: 16, top: 72, bottom: 46 }
/** Above the panels. */
const HEAD = 76

const STYLE = `
  .page { fill: #ffffff; } text { fill: #1f2328; font: 12px system-ui, sans-serif; } .title { font-size: 15px; font-weight: 600; }
  .soft { fill: #59636e; } .grid { stroke: #d9dee4; } .linear { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 2 4; }
  .floor { color: #9a6700; } .gateway { color: #0969da; } .line { fill: none; stroke: currentColor; stroke-width: 2; }
  .floor .line { stroke-dasharray: 6 3; } .mark { fill: currentColor; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; } text { fill: #f0f6fc; } .soft { fill: #9198a1; } .grid { stroke: #2f363e; } .linear { stroke: #9198a1; }
    .floor { color: #d29922; } .gateway { color: #4493f8; }
  }
`

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const rounded = (value) => Math.round(value * 10) / 10
const text = (x, y, content, attributes = '') => `<text x="${rounded(x)}" y="${rounded(y)}" ${attributes}>${escaped(content)}</text>`
const line = (kind, x1, y1, x2, y2) =>
  `<line class="${kind}" x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}"/>`

const MARKS = {
  gateway: (x, y) => `<circle class="mark" cx="${rounded(x)}" cy="${rounded(y)}" r="4"/>`,
  floor: (x, y) => `<rect class="mark" x="${rounded(x - 3.5)}" y="${rounded(y - 3.5)}" width="7" height="7"/>`,
}

/** Values of 1, 2 and 5 times a power of ten around all costs: at least a decade, so that noise looks small. */
function costTicks(costs) {
  const [least, most] = [Math.min(...costs), Math.max(...costs)]
  const middle = Math.sqrt(least * most)
  const [from, to] = [Math.min(least, middle / Math.sqrt(10)), Math.max(most, middle * Math.sqrt(10))]
  const ticks = []
  for (let power = Math.floor(Math.log10(from)) - 1; power <= Math.log10(to) + 1; power++)
    ticks.push(...[1, 2, 5].map((digit) => digit * 10 ** power))
  const first = ticks.findLastIndex((tick) => tick <= from)
  return ticks.slice(first, ticks.findIndex((tick) => tick >= to) + 1)
}

/** Maps values to positions, by their logarithms. */
function scale(least, most, from, to) {
  const factor = (to - from) / Math.log(most / least)
  return (value) => from + Math.log(value / least) * factor
}

function panelOf({ title, sizes, axis = sizes, what, lines, exponents, verdict }, left, top) {
  const points = lines.gateway
  const ticks = costTicks(Object.values(lines).flatMap((each) => each.map(({ cost }) => cost)))
  const [right, bottom] = [left + WIDTH - MARGIN.right, top + HEIGHT - MARGIN.bottom]
  const x = scale(points[0].size, points.at(-1).size, left + MARGIN.left + 12, right - 12)
  const y = scale(ticks[0], ticks.at(-1), bottom, top + MARGIN.top)
  const ofFloor = exponents.floor ? `, of the floor ${exponents.floor.toFixed(2)}` : ''
  const [judged] = largest(points)
  const level = y(judged.cost)
  return [
    text(left + 16, top + 22, title, 'class="title"'),
    text(left + 16, top + 40, what, 'class="soft"'),
    text(left + 16, top + 56, `${verdict}: exponent ${exponents.gateway.toFixed(2)}${ofFloor}`, 'class="soft"'),
    ...ticks.map((tick) => line('grid', left + MARGIN.left, y(tick), right, y(tick))),
    ...ticks.map((tick) =>
      text(left + MARGIN.left - 8, y(tick) + 4, Number(tick.toPrecision(1)).toLocaleString('en'), 'text-anchor="end"'),
    ),
    ...points.map(({ size, label }) => text(x(size), bottom + 18, label.replace(/ .*/, ''), 'text-anchor="middle"')),
    text((left + MARGIN.left + right) / 2, bottom + 36, axis, 'class="soft" text-anchor="middle"'),
    line('linear', x(judged.size), level, right, level),
    ...Object.entries(lines).map(([name, each]) => {
      const positions = each.map(({ size, cost }) => [x(size), y(cost)])
      const path = `<polyline class="line" points="${positions.map((position) => position.map(rounded).join()).join(' ')}"/>`
      return `<g class="${name}">${path}${positions.map((position) => MARKS[name](...position)).join('')}</g>`
    }),
  ].join('\n')
}

/** A plot of series: a panel for each, with the cost of each unit by size. A level line is linear growth of the whole cost. */
export function plot(subtitle, series) {
  const [width, height] = [COLUMNS * WIDTH, HEAD + Math.ceil(series.length / COLUMNS) * HEIGHT]
  const summary = series.map(({ title, exponents, verdict }) => `${title}: ${verdict}, exponent ${exponents.gateway.toFixed(2)}.`)
  const legend = ['gateway', 'floor'].map((name, index) => {
    const left = width - 440 + index * 104
    return `<g class="${name}">${line('line', left, 46, left + 28, 46)}${MARKS[name](left + 14, 46)}</g>${text(left + 36, 50, name)}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title summary">
<title id="title">Growth of the cost of operations</title>
<desc id="summary">${escaped(summary.join(' '))}</desc>
<style>${STYLE}</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
${text(16, 28, 'Cost of each row, record and operation as sizes grow', 'class="title"')}
${text(16, 50, subtitle, 'class="soft"')}
${legend.join('\n')}
${line('linear', width - 240, 46, width - 212, 46)}${text(width - 204, 50, 'linear; worse rises, better falls')}
${series.map((each, index) => panelOf(each, (index % COLUMNS) * WIDTH, HEAD + Math.floor(index / COLUMNS) * HEIGHT)).join('\n')}
</svg>
`
}
