// Operations of growing size on the large site (`large-site.mjs`): long lists, deep nesting, and many callers.

/** Lessons of every course of the site. */
export const LESSONS_OF_A_COURSE = 3
/** Courses at the root of nested operations; each level has twice as many. */
const ROOTS = 10

const ROWS = `query Rows($first: Int!, $offset: Int!) {
  courses(first: $first, offset: $offset, orderBy: { field: ID }) { nodes { databaseId title: titleHtml price prerequisiteIds } }
}`

/** Courses with lessons and, `depth` levels in all, with prerequisites that have the same. */
const nested = (depth) => `databaseId title: titleHtml lessons(first: 10) { nodes { databaseId title: titleHtml } }
  ${depth > 2 ? `prerequisites { ${nested(depth - 1)} }` : ''}`

const job = (name, query, variables) => ({
  name,
  body: (i) => JSON.stringify({ query, operationName: name, variables: variables(i) }),
})

const rows = (first) => job('Rows', ROWS, (i) => ({ first, offset: i % 1_000 }))

/** Courses, prerequisites and lessons of an operation. */
const recordsOf = (depth) => ROOTS * (2 ** (depth - 1) - 1) * (1 + LESSONS_OF_A_COURSE)

function pathOf(depth) {
  const name = `Path${depth}`
  const query = `query ${name}($offset: Int!) { courses(first: ${ROOTS}, offset: $offset, orderBy: { field: ID }) { nodes { ${nested(depth)} } } }`
  // From 1,000 on, no course is on two levels.
  return job(name, query, (i) => ({ offset: 1_000 + (i % 900) }))
}

/** The header of one of `count` callers; the site accepts any. */
const callerOf = (count) => (i) => `Basic ${Buffer.from(`caller${i % count}:secret`).toString('base64')}`

const count = (value) => value.toLocaleString('en')

/**
 * What grows, by series (`axis` is the text of a plot, if another than `sizes`): `units` is how many of the `unit` an operation answers, whose cost is compared; `size` is what grows, and `label` how
 * it is written.
 */
export const SERIES = [
  {
    title: 'Length of lists',
    sizes: 'rows',
    unit: 'row',
    points: [10, 100, 1_000, 10_000].map((size) => ({ size, label: count(size), units: size, job: rows(size) })),
  },
  {
    title: 'Depth of nesting',
    sizes: 'records',
    axis: 'records, on 2, 3, 4 and 5 levels',
    unit: 'record',
    points: [2, 3, 4, 5].map((depth) => {
      const size = recordsOf(depth)
      return { size, label: `${size} (depth ${depth})`, units: size, job: pathOf(depth) }
    }),
  },
  {
    title: 'Callers at a time',
    sizes: 'callers',
    unit: 'operation',
    points: [1, 10, 50, 100, 250, 500].map((size) => ({
      size,
      label: count(size),
      units: 1,
      job: { ...rows(10), authorization: callerOf(size), concurrency: size },
    })),
  },
]
