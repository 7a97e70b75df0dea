import { expect, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import { optionTypes } from '../../docs/.vitepress/reference/option-types.js'
import type { GivenOptions } from '../../src/options/given.js'
import { OPTIONS } from '../../src/options/table.js'

type Table = typeof OPTIONS
type Given = { [Area in keyof GivenOptions]-?: NonNullable<GivenOptions[Area]> }

/** The options of an area whose type in programs is not what their schema takes, or which are missing. Files of secrets have no schema of their own. */
type Unfit<Area extends keyof Given & keyof Table> = {
  [Name in keyof Given[Area]]-?: Name extends keyof Table[Area]
    ? Table[Area][Name] extends { readonly schema: infer Schema extends z.ZodType }
      ? NonNullable<Given[Area][Name]> extends z.input<Schema>
        ? never
        : Name
      : Name
    : Name extends `${infer Secret}File`
      ? Secret extends keyof Table[Area]
        ? never
        : Name
      : Name
}[keyof Given[Area]]

it('the types of programs are what the schemas take', () => {
  expectTypeOf<keyof Given>().toEqualTypeOf<Exclude<keyof Table, 'lms'>>()
  expectTypeOf<{ [Area in keyof Given]: Unfit<Area> }[keyof Given]>().toBeNever()
  expect(optionTypes().match(/^ {2}readonly \w+\?: \w+Options \| undefined$/gm)).toHaveLength(Object.keys(OPTIONS).length - 1)
})
