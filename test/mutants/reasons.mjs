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
]
