import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toTypeScript } from '../../src/graphiql/share/programs.js'
import { readManifest } from '../../src/operations/manifest.js'
import { Project } from '../support/project.js'
import { authorizationOf, CANDID, World } from '../support/world.js'

const EXAMPLE = 'test/docs/examples/codegen'

/** A file that compiles when the dates and other scalars of the generated types are as documented. */
const ASSERTIONS = `
import type { CourseLineFragment, ProgressQuery, ProgressQueryVariables } from './gql/graphql.js'
import type { TypesOfScalarsQuery } from './gql/graphql.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const are = <_Assertions extends readonly true[]>(): void => {}

type Progress = NonNullable<NonNullable<NonNullable<NonNullable<ProgressQuery['user']>['courseProgress']>['nodes']>[number]>
type Lesson = NonNullable<TypesOfScalarsQuery['lesson']>
are<[
  Equal<CourseLineFragment['dateGmt'], string | null>,
  Equal<Progress['dateStarted'], string | null>,
  Equal<ProgressQueryVariables['user'], string | number>,
  Equal<Lesson['visibleAfterSpecificDate'], string | null>,
  Equal<Lesson['content'], string | null>,
  Equal<Lesson['link'], string | null>,
  Equal<Lesson['meta'], Record<string, unknown> | null>,
]>()
`

/** A query for the scalars that the example does not show. */
const SCALARS_QUERY = `
import { graphql } from './gql/index.js'
export const query = graphql(\`query TypesOfScalars { lesson(id: 1) { visibleAfterSpecificDate content link meta } }\`)
`

/** Operations that the GraphiQL page copies as TypeScript. */
const SHARED: readonly Parameters<typeof toTypeScript>[0][] = [
  {
    query: `
      fragment LineOfCourse on Course { id title }
      fragment LineOfGroup on Group { id courses(first: 2) { nodes { id title } } }
      query other { groups(first: 1) { nodes { id } } }
      # A \`comment\`
      query lines($first: Int!, $where: CourseWhere) {
        courses(first: $first, where: $where) { nodes { id title dateGmt } }
        groups(where: { search: "Otters" }) { nodes { ...LineOfGroup } }
      }`,
    operationName: 'lines',
    variables: { first: 2, where: { categories: { in: [1, 2] }, search: "it's" }, unknown: 1 },
  },
  {
    query: `mutation ($input: UpdateCourseInput!) {
      updateCourse(input: $input) { __typename ... on LmsError { code } }
    }`,
    variables: { input: { id: 10001, title: 'New “title”', password: '' } },
  },
].map((operation) => ({ url: 'https://example.org/graphql', headers: ['Authorization', 'X-API-Key'], ...operation }))

const page = readFileSync(new URL('../../docs/front-ends/codegen.md', import.meta.url), 'utf8')

/** Each test starts several programs, which may take long on a busy machine. */
const PATIENCE = { timeout: 300_000 }

describe('GraphQL Code Generator', PATIENCE, () => {
  let project: Project
  let world: World
  const url = (): string => `${world.gateway.url}/graphql`
  beforeAll(async () => {
    world = await World.start()
    project = new Project(EXAMPLE)
    writeFileSync(join(project.folder, 'src/scalars.ts'), SCALARS_QUERY)
    writeFileSync(join(project.folder, 'src/assertions.ts'), ASSERTIONS)
    for (const [index, operation] of SHARED.entries())
      writeFileSync(join(project.folder, `src/shared-${index}.ts`), toTypeScript(operation))
  })
  afterAll(async () => {
    project.remove()
    await world.close()
  })

  it('generates types for the documents of a project, which compile strictly', async () => {
    expect(await project.run('graphql-codegen', ['--config', 'codegen.ts'])).toMatchObject({ code: 0, stderr: '' })
    expect(await project.run('tsc', [])).toEqual({ code: 0, stdout: '', stderr: '' })
    const commands = [
      'npx graphql-codegen --config codegen.ts',
      'npx tsc',
      'AUTHORIZATION="Basic $(printf learner:learner-demo | base64)" node dist/main.js',
    ]
    expect(page).toContain(['```sh', ...commands, '```'].join('\n'))
  })

  it('compiles with the settings of the page for Vite too', async () => {
    const settings = JSON.parse(readFileSync(new URL('../docs/examples/clients/tsconfig.json', import.meta.url), 'utf8'))
    const files = ['src/execute.ts', 'src/school.ts']
    writeFileSync(join(project.folder, 'tsconfig.vite.json'), JSON.stringify({ ...settings, include: undefined, files }))
    expect(await project.run('tsc', ['--project', 'tsconfig.vite.json'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('compiles what the GraphiQL page copies as TypeScript, and finds a wrong variable in it', async () => {
    const [shared] = SHARED
    const wrong = { ...(shared as (typeof SHARED)[number]), variables: { first: 'two' } }
    writeFileSync(join(project.folder, 'src/shared-0.ts'), toTypeScript(wrong))
    const { code, stdout } = await project.run('tsc', [])
    expect([code, stdout]).toEqual([expect.any(Number), expect.stringContaining("Type 'string' is not assignable to type 'number'")])
    expect(stdout.match(/error TS/g)).toHaveLength(1)
    writeFileSync(join(project.folder, 'src/shared-0.ts'), toTypeScript(shared as (typeof SHARED)[number]))
    expect(await project.run('tsc', [])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('generates the same types from the introspection of a running gateway', async () => {
    const read = (): string => readFileSync(join(project.folder, 'src/gql/graphql.ts'), 'utf8')
    const fromPackage = read()
    const config = readFileSync(join(project.folder, 'codegen.ts'), 'utf8')
    const other = config.replace('schema: typeDefs', `schema: '${url()}'`).replace('scalars, typeDefs', 'scalars')
    expect(other).not.toBe(config)
    expect(page).toContain("\n  schema: 'http://127.0.0.1:4000/graphql',\n")
    writeFileSync(join(project.folder, 'codegen.ts'), other)
    expect(await project.run('graphql-codegen', ['--config', 'codegen.ts'])).toMatchObject({ code: 0, stderr: '' })
    expect(read() === fromPackage).toBe(true)
  })

  it('has a program that lists groups, courses and progress', async () => {
    world.calls.length = 0
    const { code, stdout, stderr } = await project.run('node', ['dist/main.js'], {
      GATEWAY: url(),
      AUTHORIZATION: authorizationOf('learner'),
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(world.calls.map(({ path }) => path.replace(/\?.*/, '')).sort()).toEqual([
      '/lms/v1/groups',
      // With drafts too, once: the site refuses that to learners.
      '/lms/v1/sfwd-courses',
      '/lms/v1/sfwd-courses',
      '/lms/v2/groups/1009/courses',
      '/lms/v2/groups/1013/courses',
      '/lms/v2/price-types',
      '/lms/v2/users/3/course-progress',
    ])
    expect(stdout.split('\n')).toEqual(await expectedLines())
    expect(page).toContain(['```text', stdout.trimEnd(), '```'].join('\n'))
  })

  async function expectedLines(): Promise<string[]> {
    const { data } = await world.query(
      `{
        groups(first: 2) { nodes { title courses(first: 2) { nodes { title dateGmt priceType { name } } } } }
        user(id: 3) { courseProgress(first: 3) { nodes { status stepsCompleted stepsTotal dateStarted course { title } } } }
      }`,
      { as: 'learner' },
    )
    const groups = data.groups.nodes.flatMap(({ title, courses }: any) => [
      `${title}:`,
      ...courses.nodes.map(
        (course: any) => `- ${course.title}, since ${course.dateGmt.slice(0, 10)}, ${course.priceType?.name ?? 'no price'}`,
      ),
    ])
    expect(groups).toHaveLength(6)
    const progress = data.user.courseProgress.nodes.map(
      ({ course, status, stepsCompleted, stepsTotal, dateStarted }: any) =>
        `${course.title}: ${status}, ${stepsCompleted} of ${stepsTotal} steps, started ${dateStarted?.slice(0, 10) ?? 'never'}`,
    )
    expect(progress).toHaveLength(3)
    return [...groups, ...progress, '']
  }

  it('writes a manifest of trusted documents, of which the program sends the hashes', async () => {
    const manifest = readFileSync(join(project.folder, 'src/gql/persisted-documents.json'), 'utf8')
    const strict = await World.start({ http: { operations: readManifest(manifest), onlyTrusted: true } })
    const env = { GATEWAY: `${strict.gateway.url}/graphql`, AUTHORIZATION: authorizationOf('learner') }
    const { code, stdout, stderr } = await project.run('node', ['dist/main.js'], { ...env, TRUSTED: 'true' })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toEqual(await expectedLines())
    const refused = await project.run('node', ['dist/main.js'], env)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('This gateway runs trusted documents only')])
    await strict.close()
  })

  it('would make the dates unknown without the scalars of the package', async () => {
    const config = readFileSync(join(project.folder, 'codegen.ts'), 'utf8')
    const without = config.replace(/^ +(scalars|strictScalars: true),\n/gm, '')
    writeFileSync(join(project.folder, 'codegen.ts'), without)
    expect(await project.run('graphql-codegen', ['--config', 'codegen.ts'])).toMatchObject({ code: 0 })
    const { code, stdout } = await project.run('tsc', ['--noEmit'])
    expect(code).toBeGreaterThan(0)
    expect(stdout).toMatch(/src\/school\.ts\(\d+,\d+\): error TS\d+: .*'unknown'|src\/school\.ts\(\d+,\d+\): error TS\d+: Property 'slice'/)
    expect(stdout).toContain('src/assertions.ts')
    writeFileSync(join(project.folder, 'codegen.ts'), config)
  })
})

describe('GraphQL Code Generator for a client that throws errors', PATIENCE, () => {
  let project: Project
  beforeAll(() => {
    project = new Project(EXAMPLE, ['test/clients/node_modules'])
  })
  afterAll(() => project.remove())

  it('generates non-null types where null stands only beside an error', async () => {
    expect(await project.run('graphql-codegen', ['--config', 'semantic/codegen.ts'])).toMatchObject({ code: 0, stderr: '' })
    expect(await project.run('tsc', ['--project', 'semantic'])).toEqual({ code: 0, stdout: '', stderr: '' })
    const types = readFileSync(join(project.folder, 'semantic/src/gql/graphql.ts'), 'utf8')
    expect(types).toContain(
      'export type TitlesQuery = { groups: { nodes: Array<{ id: string, title: string | null, courses: { nodes: Array<{ id: string, title: string | null }> } }> } };',
    )
  })

  it('throws the error of a field where it is read', async () => {
    const world = await World.start(CANDID, { switches: { fatalJson: 'route:GET */groups/1009/courses*' } })
    const { data, errors } = await world.query('{ groups(first: 2) { nodes { title courses(first: 2) { nodes { title } } } } }')
    const [first, second] = data.groups.nodes
    expect([second.courses, errors[0]?.path]).toEqual([null, ['groups', 'nodes', 1, 'courses']])
    const { code, stdout, stderr } = await project.run('node', ['semantic/dist/main.js'], { GATEWAY: `${world.gateway.url}/graphql` })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toEqual([
      `${first.title}: ${first.courses.nodes.map(({ title }: any) => title).join(', ')}`,
      `${second.title}: ${errors[0]?.message}`,
      '',
    ])
    await world.close()
  })
})
