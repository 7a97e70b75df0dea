/**
 * Why mutants may survive: by file, where it says so by mutator, and by a part of the line they stand in. The first that fits counts.
 * @type {readonly { file: string, mutator?: RegExp, code?: string, why: string }[]}
 */
export const REASONS = [
  { file: 'rest/columns.ts', code: "typeof raw === 'string' && Object.hasOwn", why: 'What is no text is no spelling either.' },
  { file: 'rest/kinds.ts', code: "raw.includes('<')", why: 'Only saves time: without a bracket there is no tag to be found.' },
  { file: 'rest/kinds.ts', code: "bare.includes('&')", why: 'Only saves time: without an ampersand there is no entity to be found.' },
  { file: 'rest/kinds.ts', code: 'value === 0 ? null', why: 'Zero has been dealt with before.' },
  { file: 'rest/kinds.ts', code: 'PLAIN.test(raw)', why: 'Only saves time: luxon comes to the same.' },
  { file: 'rest/kinds.ts', code: '\\d{4}-\\d\\d-\\d\\d', why: 'What does not begin with a day is none to luxon either.' },
  { file: 'rest/records.ts', code: 'have === want', why: 'Only saves time: a set covers itself.' },
  { file: 'rest/records.ts', code: 'unusable[shape.name]', why: 'No column has the name the mutant adds.' },
  { file: 'rest/records.ts', code: 'fallback !== undefined', why: 'No row has a column without a name.' },
  { file: 'rest/records.ts', code: '?.otherwise', why: 'For the type alone: a shape has the columns it reads.' },
  { file: 'rest/records.ts', code: 'shape.set(shape.names), []', why: 'The field filter of records inside a record is not used.' },
  { file: 'rest/query.ts', code: "typeof value === 'number'", why: 'Only saves time: the text of a number is plain.' },
  { file: 'rest/query.ts', code: 'PLAIN.test(value)', why: 'Only saves time: encoding leaves a plain text as it is.' },
  { file: 'rest/query.ts', code: "path.includes('password=')", why: 'Only saves time: where nothing is found, nothing is replaced.' },
  { file: 'rest/encoders.ts', why: 'The time zone says nothing of a text that is shown as it was written.' },
  { file: 'graph/windows.ts', code: 'const forward =', why: 'A shortcut: the way of all windows comes to the same.' },
  {
    file: 'graph/windows.ts',
    code: 'if (total === null || rows.length <',
    why: 'A shortcut: the way of all windows goes on from the same page.',
  },
  { file: 'graph/windows.ts', code: 'distinct(asking,', why: 'A site sends no more rows than it was asked for.' },
  { file: 'graph/windows.ts', code: 'kept.length > most', why: 'Only saves a copy.' },
  {
    file: 'graph/windows.ts',
    code: 'args.last !== null && end !== null',
    why: 'For the type alone: an end is known wherever `last` is given.',
  },
  {
    file: 'graph/windows.ts',
    code: 'end === null || end <= start',
    why: 'For the type alone: an end is known once `first` or `last` has been looked at.',
  },
  {
    file: 'graph/windows.ts',
    code: 'found.rows.length === 0 && start > 0',
    why: 'Asks for a length that would be unknown otherwise: a call more, and the same rows.',
  },
  {
    file: 'graph/windows.ts',
    code: 'total = args.last !== null ?',
    why: 'A length was told before: a site that tells it once tells it again.',
  },
  {
    file: 'graph/windows.ts',
    code: 'page.total === null && known > 0',
    why: 'Only sites that tell no total come here with rows seen before.',
  },
  {
    file: 'graph/windows.ts',
    code: 'first.rows.length === 0 && start > 0',
    why: 'An empty page at the start tells a total of 0, and so does the way without one.',
  },
  { file: 'graph/windows.ts', code: 'const rows: Row[] = []', why: 'What is no row has no key, and is left out.' },
  { file: 'graph/windows.ts', code: 'const rest: Promise', why: 'What is no row has no key, and is left out.' },
  {
    file: 'graph/windows.ts',
    code: 'places === 0 || start + places',
    why: 'Looks again for rows that are not there: calls more, and the same rows.',
  },
  { file: 'graph/windows.ts', code: 'Math.min(places, size - 1)', why: 'Another size of pages that fits as well.' },
  {
    file: 'graph/windows.ts',
    code: 'wide <= cap && start % wide',
    why: 'A window as wide as the largest page is read in such pages either way.',
  },
  { file: 'graph/windows.ts', code: 'last.rows.length >= size && number * size', why: 'One page more, which is empty.' },
  { file: 'graph/windows.ts', code: 'const ends =', why: 'Where the last page was short, the page after it is not asked for either.' },
  { file: 'graph/windows.ts', code: 'error.upstream?.code', why: 'For the type alone: what was refused has an answer.' },
  {
    file: 'graph/window-args.ts',
    code: '/^offset:',
    why: 'What is spelled otherwise than a cursor of its position is refused by the next line.',
  },
  {
    file: 'graph/window-args.ts',
    code: 'cursorOf(Number(position)) !== cursor',
    why: 'What has no position is refused by the line before.',
  },
  {
    file: 'graph/window-args.ts',
    code: 'value !== null && (value < 0',
    why: 'For the type alone: null is neither below 0 nor above the most.',
  },
  {
    file: 'graph/window-args.ts',
    code: 'offset != null && ((offset',
    why: 'For the type alone: null is neither below 0 nor above the most.',
  },
]
