import { readFileSync, writeFileSync } from 'node:fs'
import { REASONS } from './reasons.mjs'

// Writes survivors.md: the score of each file, and the mutants no test notices, by the reason why.

const FILE = new URL('survivors.md', import.meta.url)
const { files } = JSON.parse(readFileSync(new URL('../../coverage/mutants/report.json', import.meta.url), 'utf8'))

/** Percentage of mutants that must be noticed. */
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

const left = Object.entries(files).flatMap(([file, { source, mutants }]) =>
  mutants
    .filter(({ status }) => UNDETECTED.includes(status))
    .map(({ location, mutatorName, replacement }) => {
      const code = replaced(source, location)
      const name = file.replace(/^src\//, '')
      const line = source.split('\n')[location.start.line - 1]
      const why = REASONS[name]?.find(([part]) => line.includes(part))?.[1] ?? 'Not looked into.'
      return { file: name, mutator: mutatorName, shown: `${brief(code)} → ${brief(replacement ?? '')}`, why }
    }),
)

const all = Object.values(files).flatMap(({ mutants }) => mutants)
const lines = [
  '# Mutants that no test notices',
  '',
  'Written by `npm run mutants`, from its last whole run and from `reasons.mjs`. Ignored are those that take effect only while a module is loaded.',
  '',
  '| file | score in % | killed | timed out | survived | not covered | ignored |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ...Object.entries(files)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([file, { mutants }]) => row(file.replace(/^src\//, ''), mutants)),
  row('**all**', all),
]
for (const file of [...new Set(left.map(({ file }) => file))].sort()) {
  lines.push('', `## ${file}`)
  const here = left.filter((mutant) => mutant.file === file)
  for (const why of [...new Set(here.map(({ why }) => why))]) {
    const alike = here.filter((mutant) => mutant.why === why)
    lines.push('', why, '', ...[...new Set(alike.map(({ mutator, shown }) => `- ${mutator}: ${shown}`))])
  }
}
writeFileSync(FILE, `${lines.join('\n')}\n`)
console.log(
  `${score(all)} % of ${all.length - count(all, ['Ignored'])} mutants are noticed; ${left.length} survive: see test/mutants/survivors.md.`,
)
if (score(all) < LEAST) process.exitCode = 1
