import { readdirSync, readFileSync } from 'node:fs'
import type { CreateCourseMutation } from 'lms-graphql/documents'
import { possibleTypes } from 'lms-graphql/schema'
import { describe, expect, it } from 'vitest'
import { messageFor } from './messages.js'
import { outcomeOf } from './outcome.js'
import { textFor } from './reasons.js'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const files = (folder: string): string[] => readdirSync(new URL(`../../${folder}`, import.meta.url)).map((file) => `${folder}/${file}`)
const pages = files('docs/front-ends')

/** The blocks of a page that show a file: its path and the text of the block. */
const shownIn = (page: string): (readonly [file: string, text: string])[] =>
  [...read(page).matchAll(/<!-- test: file=(\S+) -->\n```\w+\n([\s\S]*?)```\n/g)].map(([, file = '', text = '']) => [file, text])

describe('the pages of front ends', () => {
  it.each(pages)('%s shows files as they are tested', (page) => {
    for (const [file, text] of shownIn(page)) expect(text === read(file), file).toBe(true)
  })

  it('show every recipe, and every file of the examples', () => {
    const shown = pages.flatMap((page) => shownIn(page).map(([file]) => file))
    const example = 'test/docs/examples'
    const tested = [
      'test/front-ends/outcome.ts',
      'test/front-ends/messages.ts',
      ...files('test/clients/recipes'),
      ...['school.ts', 'global-setup.ts', 'vitest.config.ts', 'shared-school.spec.ts', 'own-school.spec.ts'].map(
        (file) => `${example}/testing/${file}`,
      ),
      ...['codegen.ts', 'tsconfig.json', 'src/urql.tsx', 'src/apollo.tsx', 'src/tanstack-query.tsx', 'src/relay/course.tsx'].map(
        (file) => `${example}/clients/${file}`,
      ),
      ...['codegen.ts', 'tsconfig.json', 'src/execute.ts', 'src/school.ts', 'src/main.ts'].map((file) => `${example}/codegen/${file}`),
      ...['codegen.ts', 'src/titles.ts'].map((file) => `${example}/codegen/semantic/${file}`),
      ...['home.ts', 'index.html'].map((file) => `${example}/learner-home/${file}`),
      ...['sign-in.ts', 'back-end.ts'].map((file) => `${example}/sign-in/${file}`),
    ]
    expect([...shown].sort()).toEqual(tested.sort())
  })
})

describe('messages in another language', () => {
  const field = { field: 'x', path: ['x'], message: 'x' }
  it.each<[Parameters<typeof messageFor>[0], string]>([
    [{ ...field, code: 'TOO_LONG', limit: 200 }, 'Höchstens 200 Zeichen.'],
    [{ ...field, code: 'TOO_SMALL', limit: 0 }, 'Mindestens 0.'],
    [{ ...field, code: 'TOO_LONG', limit: null }, 'Die Schule lehnt diese Eingabe ab.'],
    [{ ...field, code: 'REQUIRED', limit: null }, 'Bitte ausfüllen.'],
    [{ ...field, code: 'OF_LATER' as never, limit: null }, 'Die Schule lehnt diese Eingabe ab.'],
  ])('of %j is %s', (of, message) => {
    expect(messageFor(of)).toBe(message)
  })

  it('has a text for every reason of access', () => {
    for (const __typename of possibleTypes.AccessReason) expect(textFor({ __typename })).toMatch(/^[A-Z].*\.$/)
    expect(new Set(possibleTypes.AccessReason.map((__typename) => textFor({ __typename }))).size).toBe(possibleTypes.AccessReason.length)
    expect(textFor({ __typename: 'OfLater' as never })).toBe('You cannot open this.')
  })
})

describe('a form', () => {
  const failed = { code: 'FORBIDDEN', message: 'Sorry.' } as const
  const field = { field: 'points', path: ['points'], code: 'TOO_SMALL' as const, limit: 0 }
  it.each<[string, CreateCourseMutation['createCourse'], string]>([
    ['no result', null, 'The request failed: see its errors.'],
    ['an error', { __typename: 'ForbiddenError', ...failed }, 'Sorry.'],
    [
      'wrong fields',
      { __typename: 'InvalidInputError', ...failed, fields: [{ ...field, message: 'It is -1; it must be 0 or more.' }] },
      'points: It is -1; it must be 0 or more.',
    ],
    [
      'a success',
      {
        __typename: 'CreateCourseSuccess',
        course: { id: 'x', databaseId: 1, title: 'Graphs', slug: null, status: null, priceType: null, prerequisites: [] },
      },
      'The course Graphs was added.',
    ],
  ])('shows %s of a mutation', (_, createCourse, expected) => {
    expect(outcomeOf({ createCourse })).toBe(expected)
  })
})
