import { EventEmitter } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { courseColumns } from '../../src/graph/course/columns.js'
import { courseProgressColumns } from '../../src/graph/course-progress/columns.js'
import { groupColumns } from '../../src/graph/group/columns.js'
import { additionColumns, groupCourseColumns } from '../../src/graph/group-course/columns.js'
import { lessonColumns } from '../../src/graph/lesson/columns.js'
import { priceTypeColumns } from '../../src/graph/price-type/columns.js'
import { questionColumns } from '../../src/graph/question/columns.js'
import { quizColumns } from '../../src/graph/quiz/columns.js'
import type { Column, Columns } from '../../src/upstream/codec/columns.js'
import type { RepairEvents } from '../../src/upstream/codec/records.js'
import { Projections, repairsOf, Shape } from '../../src/upstream/codec/records.js'
import type { Preset } from '../../src/upstream/site/presets.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { defineSite, wireName } from '../../src/upstream/site/site.js'

type Row = Readonly<Record<string, unknown>>

/** Columns of each shape a record can have on the wire. */
export const COLUMNS = {
  Group: groupColumns,
  Course: courseColumns,
  Quiz: quizColumns,
  Lesson: lessonColumns,
  GroupCourse: groupCourseColumns,
  CourseProgress: courseProgressColumns,
  PriceType: priceTypeColumns,
  Question: questionColumns,
  CourseAddition: additionColumns,
} as const satisfies Record<string, Columns>

export type ShapeName = keyof typeof COLUMNS
export const SHAPES = Object.keys(COLUMNS) as ShapeName[]

const shapes = Object.fromEntries(SHAPES.map((name) => [name, new Shape(name, COLUMNS[name])])) as Record<ShapeName, Shape>

/** One record of the corpus. README.md describes its members. */
export interface Odd {
  readonly name: string
  readonly from: string
  readonly shape: ShapeName
  readonly preset: Preset
  readonly row: Row
  readonly values: Row
  readonly repairs: readonly string[]
}

const folder = new URL('./', import.meta.url)

/** All records, file after file. */
export const RECORDS: readonly Odd[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .flatMap((file) => {
    const { shape, records } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
      shape: ShapeName
      records: Omit<Odd, 'shape'>[]
    }
    return records.map((record) => ({ shape, ...record }))
  })

/** Every column of every record of a shape, those of records inside it too: `Answer.points` beside `points`. */
export function columnsOf(shape: ShapeName): [name: string, column: Column][] {
  return Object.entries(COLUMNS[shape] as Columns).flatMap(([name, column]) => [
    [name, column] as [string, Column],
    ...Object.entries(column.members?.columns ?? {}).map(([inner, each]) => [`${column.members?.name}.${inner}`, each] as [string, Column]),
  ])
}

/** The value of a row under the wire name of a column. */
export function sentIn(row: Row, column: Column, preset: Preset): unknown {
  const [member, inner] = wireName(SITES[preset], column.wire).split('.') as [string, string?]
  const value = row[member]
  return inner === undefined ? value : (value as Row | null | undefined)?.[inner]
}

/** A decoded row: values by column, and columns that could not be decoded. */
export interface Decoded {
  readonly values: Row
  readonly repairs: readonly string[]
  /** Columns that are noted with the record as not decoded. */
  readonly noted: readonly string[]
}

const SITES = {
  lms: defineSite('https://site.example', PRESETS.lms),
  learndash: defineSite('https://site.example', PRESETS.learndash),
} as const satisfies Record<Preset, unknown>

let repairs: string[] = []
const PROJECTIONS = Object.fromEntries(
  Object.entries(SITES).map(([preset, site]) => [
    preset,
    new Projections(
      site,
      new EventEmitter<RepairEvents>().on('repair', (shape, column) =>
        repairs.push(shape in shapes ? column : [shape, column].filter(Boolean).join('.')),
      ),
    ),
  ]),
) as Record<Preset, Projections>

/** Decodes all columns of a row, as a gateway in front of such a site does. */
export function decode({ shape, preset }: Pick<Odd, 'shape' | 'preset'>, row: Row): Decoded {
  repairs = []
  const values: Record<string, unknown> = {}
  PROJECTIONS[preset].of(shapes[shape], shapes[shape].set(shapes[shape].names), []).decode(row, values)
  return { values, repairs: repairs.sort(), noted: [...(repairsOf(values) ?? [])].sort() }
}

/** The complete expected record. Columns that it does not name are null, or have their default. */
export const expected = ({ shape, values }: Odd): Row => ({
  ...Object.fromEntries(Object.entries(COLUMNS[shape] as Columns).map(([name, { otherwise }]) => [name, otherwise ?? null])),
  ...values,
})
