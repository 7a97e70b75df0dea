import { readFileSync, writeFileSync } from 'node:fs'

// Writes coverage/mutants/survivors.md from the report of Stryker: the score of each file, the mutants that no test detects, and those that
// comments in the source disable, with their reasons.

const REPORTS = new URL('../../coverage/mutants/', import.meta.url)
const { files } = JSON.parse(readFileSync(new URL('report.json', REPORTS), 'utf8'))

/** Percentage of mutants that tests must detect. */
const LEAST = 80

const DETECTED = ['Killed', 'Timeout']
const UNDETECTED = ['Survived', 'NoCoverage']
const count = (mutants, statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
const score = (mutants) => {
  const detected = count(mutants, DETECTED)
  const all = detected + count(mutants, UNDETECTED)
  return all === 0 ? '' : ((100 * detected) / all).toFixed(1)
}
const row = (name, mutants) =>
  `| ${[name, score(mutants), ...['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored'].map((status) => count(mutants, [status]))].join(' | ')} |`

/** The text a mutant replaces, its first line only. */
function replaced(source, { start, end }) {
  const line = source.split('\n')[start.line - 1]
  return start.line === end.line ? line.slice(start.column - 1, end.column - 1) : `${line.slice(start.column - 1)} …`
}
const brief = (text) => `\`${text.replace(/\s+/g, ' ').replaceAll('`', "'").slice(0, 100)}\``

const survivor = (source, { location, mutatorName, replacement }) =>
  `- line ${location.start.line}, ${mutatorName}: ${brief(replaced(source, location))} → ${brief(replacement ?? '')}`
const disabled = ({ location, mutatorName, statusReason }) => `- line ${location.start.line}, ${mutatorName}: ${statusReason}`

/** Mutants that take effect only while a module is loaded are ignored too, by a setting. */
const isDisabled = ({ status, statusReason = '' }) => status === 'Ignored' && !statusReason.startsWith('Static mutant')

const byLine = (a, b) => a.location.start.line - b.location.start.line
const sorted = Object.entries(files)
  .map(([file, { source, mutants }]) => [file, { source, mutants: mutants.toSorted(byLine) }])
  .sort(([a], [b]) => a.localeCompare(b))
const all = sorted.flatMap(([, { mutants }]) => mutants)
const lines = [
  '# Mutants that no test detects',
  '',
  '| file | score in % | killed | timed out | survived | not covered | ignored |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ...sorted.map(([file, { mutants }]) => row(file, mutants)),
  row('**all**', all),
]
for (const [file, { source, mutants }] of sorted) {
  const left = mutants.filter(({ status }) => UNDETECTED.includes(status))
  if (left.length > 0) lines.push('', `## ${file}`, '', ...left.map((mutant) => survivor(source, mutant)))
}
lines.push('', '# Mutants that comments in the source disable')
for (const [file, { mutants }] of sorted) {
  const reasoned = mutants.filter(isDisabled)
  if (reasoned.length > 0) lines.push('', `## ${file}`, '', ...reasoned.map(disabled))
}
writeFileSync(new URL('survivors.md', REPORTS), `${lines.join('\n')}\n`)
console.log(
  `Tests detect ${score(all)} % of ${all.length - count(all, ['Ignored'])} mutants; ${count(all, UNDETECTED)} survive: see coverage/mutants/survivors.md.`,
)
if (score(all) < LEAST) process.exitCode = 1
