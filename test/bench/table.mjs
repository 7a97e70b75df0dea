import { cpus } from 'node:os'
import { MAJOR } from './figures.mjs'

const round = (digits) => (value) => value.toFixed(digits)

/** What ran the benchmark. */
export const MACHINE = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`

/** What is compared: the figure's name, its heading, and how it is written. */
const FIGURES = [
  { name: 'cpu', heading: 'CPU ms', write: round(2) },
  { name: 'calls', heading: 'REST calls', write: round(1) },
  { name: 'bytes', heading: 'REST KB', write: (value) => (value / 1024).toFixed(1) },
  { name: 'latency', heading: 'p50 ms', write: round(1) },
]

const times = (ratio) => `${ratio.toFixed(2)}×`
const known = (ratio) => (ratio === undefined ? '' : times(ratio))
const furtherOf = (name) => FURTHER[name] ?? []
export const geometricMean = (ratios) => Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
const line = (cells) => `| ${cells.join(' | ')} |`
const lastRun = (last) =>
  last
    ? `"last" is of Node ${last.node}.`
    : `"last" is empty: no figures of Node ${MAJOR} are committed. \`npm run bench -- --write\` adds them.`

/** A table in Markdown, of texts; all columns but the first are numbers. */
export const markdown = ([head, ...rows]) => [head, ['---', ...head.slice(1).map(() => '---:')], ...rows].map(line)

/** Further columns of a figure: what it was when it was last committed, and what it is through Yoga. */
const FURTHER = {
  cpu: [
    { heading: 'last', ratio: ({ job }, last) => last?.cpu[job.name]?.gateway },
    { heading: 'through Yoga', ratio: ({ floor, yoga }) => yoga.cpu / floor.cpu },
    { heading: 'last', ratio: ({ job }, last) => last?.cpu[job.name]?.yoga },
  ],
}

/**
 * The results as a table in Markdown, per operation, floor beside gateway; figures that were not measured are left out. `last` holds the
 * ratios that were committed for this major version of Node.
 */
export function table(results, last) {
  const measured = 'latency' in results[0].floor
  const withCpu = 'cpu' in results[0].floor
  const figures = FIGURES.filter(({ name }) => name in results[0].floor)
  const ratio = ({ floor, gateway }, { name }) => gateway[name] / floor[name]
  const head = [
    'job',
    ...figures.flatMap(({ name, heading }) => [`${heading}: floor`, 'gateway', '×', ...furtherOf(name).map((each) => each.heading)]),
  ]
  const body = results.map((result) => [
    `${result.job.name}: ${result.job.what}`,
    ...figures.flatMap((figure) => [
      figure.write(result.floor[figure.name]),
      figure.write(result.gateway[figure.name]),
      times(ratio(result, figure)),
      ...furtherOf(figure.name).map((further) => known(further.ratio(result, last))),
    ]),
  ])
  const mean = (of) => {
    const ratios = results.map(of)
    return known(ratios.includes(undefined) ? undefined : geometricMean(ratios))
  }
  const means = figures.flatMap((figure) => [
    '',
    '',
    mean((result) => ratio(result, figure)),
    ...furtherOf(figure.name).map((further) => mean((result) => further.ratio(result, last))),
  ])
  const lines = markdown([head, ...body, ['geometric mean', ...means]])
  return [
    ...(measured ? [`${MACHINE}; per operation.`, ''] : []),
    ...lines,
    ...(measured && !withCpu ? ['', 'CPU is left out: this system has no /proc.'] : []),
    ...(withCpu ? ['', lastRun(last)] : []),
  ].join('\n')
}
