import type { Examination } from './examine.js'
import { type Finding, STATES } from './finding.js'

const WIDTH = 100
const STATE = 9
const TITLE = 26

/** Words in lines of a width; a word that is longer is broken. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  const words = text.split(' ').flatMap((word) => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [])
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

/** One finding as rows of the table: what was found, then what it means. */
function rowsOf({ state, title, found, meaning }: Finding): string[] {
  const text = WIDTH - STATE - TITLE
  const right = [...wrap(printable(found), text), ...wrap(meaning, text - 2).map((line) => `  ${line}`)]
  const titles = wrap(title, TITLE - 1)
  return Array.from({ length: Math.max(right.length, titles.length) }, (_, place) =>
    `${(place === 0 ? state : '').padEnd(STATE)}${(titles[place] ?? '').padEnd(TITLE)}${right[place] ?? ''}`.trimEnd(),
  )
}

/** What sites send may hold characters that move the cursor. */
const printable = (text: string): string => text.replace(/\p{Cc}|\p{Cf}/gu, '')

const COUNTED: Readonly<Record<Finding['state'], string>> = {
  breaks: 'broken',
  warning: 'poorer or dearer than it should be',
  note: 'good to know',
  ok: 'well',
}

/** Whether something breaks the graph. */
export const isBroken = (findings: readonly Finding[]): boolean => findings.some(({ state }) => state === 'breaks')

/** The findings as a table of at most 100 columns. */
export function reportText({ site, findings, calls }: Examination): string {
  const head = `${'STATE'.padEnd(STATE)}${'CHECK'.padEnd(TITLE)}FOUND, AND WHAT IT MEANS`
  const counts = [...STATES].reverse().map((state) => `${findings.filter((each) => each.state === state).length} ${COUNTED[state]}`)
  return [`${site.url}, by ${calls.length} calls`, '', head, ...findings.flatMap(rowsOf), '', `${counts.join(', ')}.`].join('\n')
}
