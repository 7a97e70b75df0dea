import type { Examination } from './examine.js'
import { counted, type Finding, LIMITED, STATES } from './finding.js'

const WIDTH = 100
const STATE = 9
const TITLE = 26

/** Wraps text at a width; longer words are broken. */
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

/** A finding as rows of the table: the finding, then its meaning. */
function rowsOf({ state, title, found, meaning }: Finding): string[] {
  const text = WIDTH - STATE - TITLE
  const right = [...wrap(printable(found), text), ...wrap(meaning, text - 2).map((line) => `  ${line}`)]
  const titles = wrap(title, TITLE - 1)
  return Array.from({ length: Math.max(right.length, titles.length) }, (_, index) =>
    `${(index === 0 ? state : '').padEnd(STATE)}${(titles[index] ?? '').padEnd(TITLE)}${right[index] ?? ''}`.trimEnd(),
  )
}

/** Removes control characters, which could move the cursor. */
const printable = (text: string): string => text.replace(/\p{Cc}|\p{Cf}/gu, '')

const LABELS: Readonly<Record<Finding['state'], string>> = {
  breaks: 'broken',
  warning: 'with less data or more calls',
  note: 'for information',
  ok: 'ok',
}

/** Whether a finding breaks queries. */
export const isBroken = (findings: readonly Finding[]): boolean => findings.some(({ state }) => state === 'breaks')

/** The finding that the rights of the account do not suffice to examine the whole site. */
export const limitIn = (findings: readonly Finding[]): Finding | undefined => findings.find(({ id }) => id === LIMITED)

/** The findings as a table of at most 100 columns. */
export function reportText({ site, findings, calls }: Examination): string {
  const head = `${'STATE'.padEnd(STATE)}${'CHECK'.padEnd(TITLE)}FOUND, AND WHAT IT MEANS`
  const limit = limitIn(findings)
  const counts = [...STATES].reverse().flatMap((state) => {
    const count = findings.filter((finding) => finding.state === state).length
    // What was not examined may be broken.
    return count === 0 && state === 'breaks' && limit ? [] : `${count} ${LABELS[state]}`
  })
  return [
    `${site.url}, ${counted(calls.length, 'call')} made`,
    '',
    head,
    ...findings.flatMap(rowsOf),
    '',
    ...(limit ? wrap(`Incomplete: the account ${limit.found}.`, WIDTH) : []),
    `${counts.join(', ')}.`,
  ].join('\n')
}
