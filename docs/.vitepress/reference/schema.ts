import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  print,
} from 'graphql'
import { graphSchema } from '../../../src/graph/schema.js'
import { entitiesIn, marksOf } from '../../../src/model/marks.js'
import type { Column } from '../../../src/upstream/codec/columns.js'
import { code, codes, GENERATED, page, prose } from './text.js'

/** A page of types: those of some records, with the inputs and enumerations that nothing else uses. */
interface TypePage {
  readonly file: string
  readonly title: string
  readonly introduction: string
  /** Names of record types. A type belongs to the longest one that its name starts with. */
  readonly records: readonly string[]
}

const PAGES: readonly TypePage[] = [
  { file: 'courses', title: 'Courses', introduction: 'Courses, their filters, and the mutations that write them.', records: ['Course'] },
  {
    file: 'groups',
    title: 'Groups',
    introduction: 'Groups, courses as groups list them, and the mutations that write them.',
    records: ['Group', 'GroupCourse', 'CourseAddition', 'CoursesToGroup'],
  },
  { file: 'lessons', title: 'Lessons', introduction: 'Lessons, their filters, and the mutations that write them.', records: ['Lesson'] },
  {
    file: 'quizzes',
    title: 'Quizzes and questions',
    introduction: 'Quizzes with their filters and mutations, and questions with their answers.',
    records: ['Quiz', 'Question', 'Answer'],
  },
  {
    file: 'users',
    title: 'Users and progress',
    introduction: 'Users, and their progress in courses.',
    records: ['User', 'CourseProgress'],
  },
  { file: 'price-types', title: 'Price types', introduction: 'Ways in which courses are sold or given away.', records: ['PriceType'] },
]

const SHARED: TypePage = {
  file: 'shared',
  title: 'Shared types',
  introduction: 'Interfaces, errors, inputs, enumerations and scalars that several kinds of records use.',
  records: [],
}

const ROOTS = ['Query', 'Mutation']

/** Arguments that every list has. They are described once. */
const WINDOW = ['first', 'after', 'last', 'before', 'offset']

const schema = graphSchema()
const entities = entitiesIn(schema)
const types = Object.values(schema.getTypeMap())
  .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !ROOTS.includes(type.name))
  .sort((one, other) => one.name.localeCompare(other.name, 'en'))

/** Types that a type mentions in its fields, arguments and members. */
function mentions(type: GraphQLNamedType): GraphQLNamedType[] {
  if (isUnionType(type)) return [...type.getTypes()]
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [field, ...field.args].map((each) => getNamedType(each.type)))
}

/** The page of each type. Types that are not named after a record are on the page of the types that mention them, if that is one page. */
function assign(): ReadonlyMap<string, TypePage> {
  const pages = new Map<string, TypePage>()
  for (const { name } of types) {
    const plain = name.replace(/^(?:Create|Update|Delete|Add)(?=[A-Z])/, '')
    const records = PAGES.flatMap((each) => each.records.map((record) => ({ record, page: each })))
    const [best] = records.filter(({ record }) => plain.startsWith(record)).sort((one, other) => other.record.length - one.record.length)
    if (best) pages.set(name, best.page)
  }
  // Twice: some types are mentioned only by types that are assigned in the first round.
  for (const _ of [1, 2]) {
    for (const { name } of types.filter((type) => !isScalarType(type))) {
      if (pages.has(name)) continue
      const users = types.filter((type) => mentions(type).some((each) => each.name === name)).map((type) => pages.get(type.name))
      if (users.length > 0 && users[0] !== undefined && users.every((each) => each === users[0])) pages.set(name, users[0])
    }
  }
  return pages
}

const PAGE_OF = assign()

/** A link to a type from a page in the folder `from`, relative to `docs/reference`. */
function linkTo(name: string, from: '' | 'schema/'): string {
  if (ROOTS.includes(name)) return `[${code(name)}](${from === '' ? '' : '../schema.md'}#${name.toLowerCase()})`
  if (!types.some((type) => type.name === name)) return code(name)
  const folder = from === '' ? './schema/' : './'
  return `[${code(name)}](${folder}${(PAGE_OF.get(name) ?? SHARED).file}.md#${name.toLowerCase()})`
}

/** A type with its brackets, and a link to the named type. */
function typeText(type: GraphQLType, from: '' | 'schema/'): string {
  const whole = String(type)
  const { name } = getNamedType(type)
  const link = linkTo(name, from)
  return link.startsWith('[') ? link.replace(`[${code(name)}]`, `[${code(whole)}]`) : code(whole)
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ')

/** The REST column of a field of a record, and how it is read. */
function columnText({ wire, editOnly, heavy, guarded }: Column): string {
  const how = [
    editOnly && 'for editors only',
    heavy && 'read only when it is selected',
    guarded !== undefined && 'hidden by the password of the record',
  ]
  return `REST column ${[code(wire), ...how.filter((each) => typeof each === 'string')].join(', ')}`
}

/** The REST route that an edge reads. */
function routeText({ edge, write }: ReturnType<typeof marksOf>, target: string): string {
  if (write) return `${code(`${write.method} ${write.route.path}`)}`
  if (!edge) return ''
  if (edge.kind === 'list') return code(`GET ${edge.route.path}`)
  const byKey = entities.get(target)?.byKey
  if (!byKey) return ''
  const { one, many, table } = byKey
  const several = many ? `GET ${many.route.path}?include=…` : table ? `GET ${table.path}` : undefined
  if (edge.many && several !== undefined) return code(several)
  return several === undefined ? code(`GET ${one.path}`) : `${code(`GET ${one.path}`)} or ${code(several)}`
}

const defaultText = ({ defaultValue, type }: GraphQLArgument | GraphQLInputField): string => {
  const ast = defaultValue === undefined ? undefined : astFromValue(defaultValue, type)
  return ast ? `, default ${code(print(ast))}` : ''
}

function fieldText(type: GraphQLNamedType, field: GraphQLField<unknown, unknown>, from: '' | 'schema/'): string {
  const column = marksOf(type).shape?.columns[field.name] ?? memberColumns.get(type.name)?.[field.name]
  const marks = marksOf(field)
  const rest = column ? columnText(column) : routeText(marks, getNamedType(field.type).name)
  const isList = WINDOW.every((name) => field.args.some((argument) => argument.name === name))
  const own = field.args.filter(({ name }) => !isList || !WINDOW.includes(name))
  const args = own.map((argument) => `- ${inputText(argument, from)}`)
  return [
    `- **${field.name}**: ${typeText(field.type, from)}${rest === '' ? '' : ` · ${rest}`}\\`,
    `  ${prose(field.description ?? '')}${isList ? ` [Arguments of lists](${from === '' ? '' : '../schema.md'}#lists).` : ''}`,
    ...args.map((argument) => `  ${indented(argument)}`),
  ].join('\n')
}

const inputText = (input: GraphQLArgument | GraphQLInputField, from: '' | 'schema/', bounds = ''): string =>
  `**${input.name}**: ${typeText(input.type, from)}${defaultText(input)}\\\n  ${prose(input.description ?? '')}${bounds}`

/** Columns of objects inside records, such as answers of questions, by the name of their type. */
const memberColumns = new Map(
  types.flatMap((type) =>
    Object.values(marksOf(type).shape?.columns ?? {}).flatMap(({ members }) => (members ? [[members.name, members.columns] as const] : [])),
  ),
)

/** The bounds that the gateway checks before a call, for a field of an input that writes a record. */
function boundsText(input: string, field: string): string {
  const [, record = ''] = /^(?:Create|Update)(\w+)Input$/.exec(input) ?? []
  const column = entities.get(record)?.shape.columns[field]
  if (!column) return ''
  const { least, most, longest, form } = column
  const bounds = [
    least !== undefined && most !== undefined ? `From ${least} to ${most}.` : least !== undefined ? `At least ${least}.` : undefined,
    longest === undefined ? undefined : `At most ${longest} characters.`,
    form === undefined ? undefined : `It must be ${form.allowed}.`,
  ]
  return bounds.flatMap((bound) => (bound === undefined ? [] : ` ${prose(bound)}`)).join('')
}

const kindOf = (type: GraphQLNamedType): string =>
  isObjectType(type)
    ? 'Type'
    : isInterfaceType(type)
      ? 'Interface'
      : isUnionType(type)
        ? 'Union'
        : isInputObjectType(type)
          ? 'Input'
          : isEnumType(type)
            ? 'Enumeration'
            : 'Scalar'

/** The lines of a type: its fields, values or members. */
function membersText(type: GraphQLNamedType): string {
  if (isObjectType(type) || isInterfaceType(type)) {
    return Object.values(type.getFields())
      .map((field) => fieldText(type, field, 'schema/'))
      .join('\n')
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).sort(
      (one, other) => Number(isRequiredInputField(other)) - Number(isRequiredInputField(one)) || one.name.localeCompare(other.name, 'en'),
    )
    return fields.map((field) => `- ${inputText(field, 'schema/', boundsText(type.name, field.name))}`).join('\n')
  }
  if (isEnumType(type))
    return type
      .getValues()
      .map(({ name, description }) => `- ${code(name)}: ${prose(description ?? '')}`)
      .join('\n')
  if (isUnionType(type))
    return type
      .getTypes()
      .map(({ name }) => `- ${linkTo(name, 'schema/')}`)
      .join('\n')
  return isScalarType(type) && type.specifiedByURL ? `Specified by <${type.specifiedByURL}>.` : ''
}

const typeSection = (type: GraphQLNamedType): string => {
  const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces().map(({ name }) => linkTo(name, 'schema/')) : []
  return page(
    `## ${type.name}`,
    `${prose(type.description ?? '')} ${kindOf(type)}${interfaces.length > 0 ? ` that implements ${interfaces.join(' and ')}` : ''}.`,
    membersText(type),
  ).trim()
}

/** Records come first, in the order of the page. */
const place = ({ records }: TypePage, { name }: GraphQLNamedType): number =>
  records.includes(name) ? records.indexOf(name) : records.length

/** The types of a page: records first, then the others by name. */
const typesOf = (typePage: TypePage): GraphQLNamedType[] =>
  types.filter(({ name }) => (PAGE_OF.get(name) ?? SHARED) === typePage).sort((one, other) => place(typePage, one) - place(typePage, other))

function typePageText(typePage: TypePage): string {
  const own = typesOf(typePage)
  return page(
    GENERATED,
    `# ${typePage.title}`,
    `${typePage.introduction} [The schema](../schema.md) has the queries, the mutations and all types.`,
    own.map(typeSection),
  )
}

/** The sentences of a description that say how many REST calls a field makes. */
const costOf = (description: string): string =>
  description
    .split(/(?<=\.) /)
    .filter((sentence) => /\bREST calls?\b/.test(sentence))
    .join(' ')

/** What each field with calls costs. Throws when a description does not say it. */
function costs(): string {
  const fields = new Map<string, string[]>()
  for (const type of [...ROOTS.map((name) => schema.getType(name) as GraphQLNamedType), ...types]) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const { edge, write } = marksOf(field)
      if (!edge && !write) continue
      // The payload of a mutation is part of what the mutation costs.
      if (/Success$/.test(type.name)) continue
      const cost = costOf(field.description ?? '')
      if (cost === '') throw new Error(`The description of ${type.name}.${field.name} does not say how many REST calls it makes.`)
      fields.set(cost, [...(fields.get(cost) ?? []), ROOTS.includes(type.name) ? field.name : `${type.name}.${field.name}`])
    }
  }
  return [...fields].map(([cost, names]) => `- ${codes(names)}\\\n  ${prose(cost)}`).join('\n')
}

const rootSection = (name: 'Query' | 'Mutation', introduction: string): string => {
  const type = schema.getType(name)
  if (!isObjectType(type)) throw new Error(`The schema has no type ${name}.`)
  const fields = Object.values(type.getFields()).sort((one, other) => one.name.localeCompare(other.name, 'en'))
  return page(`## ${name}`, introduction, fields.map((field) => fieldText(type, field, '')).join('\n')).trim()
}

/** The arguments that all lists have in common. */
function windowText(): string {
  const courses = schema.getQueryType()?.getFields().courses
  return (courses?.args ?? [])
    .filter(({ name }) => WINDOW.includes(name))
    .map((argument) => `- ${inputText(argument, '')}`)
    .join('\n')
}

/** The pages of the schema: one with the root fields and all types, and one for each kind of record. */
export const schemaPages = (): Readonly<Record<string, string>> => ({
  'reference/schema.md': page(
    GENERATED,
    '# Schema',
    'Every type of the graph, with the REST columns of its fields and the REST calls they need.',
    'The same graph as SDL is in [`schema/schema.graphql`](../../schema/schema.graphql). A text after "REST column" is the name of the value in the REST interface, and `GET` or `POST` shows the route. A site can have other names, which are [settings](./settings.md#the-site).',
    [...PAGES, SHARED]
      .map(
        (each) =>
          `- [${each.title}](./schema/${each.file}.md): ${typesOf(each)
            .map(({ name }) => linkTo(name, ''))
            .join(', ')}`,
      )
      .join('\n'),
    rootSection('Query', 'The fields of queries.'),
    rootSection('Mutation', 'The fields of mutations. Each takes one `input`, and returns a union of its success and its errors.'),
    '## Lists',
    'Every list is a connection with these arguments. Most lists also have `where` and `orderBy`.',
    windowText(),
    '## REST calls',
    'What each field with REST calls costs. [Cost](../cost.md) describes how calls are counted and shared.',
    costs(),
    '## All types',
    types.map(({ name }) => linkTo(name, '')).join(', '),
  ),
  ...Object.fromEntries([...PAGES, SHARED].map((each) => [`reference/schema/${each.file}.md`, typePageText(each)])),
})
