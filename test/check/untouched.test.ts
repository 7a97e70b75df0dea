import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  buildASTSchema,
  type DirectiveNode,
  type FieldDefinitionNode,
  Kind,
  type NameNode,
  NoDeprecatedCustomRule,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  validate,
  visit,
} from 'graphql'
import { afterAll, expect, it } from 'vitest'
import { runCheck } from '../../src/check/run.js'
import { graphSchema } from '../../src/index.js'
import { optionsOf } from '../options/setup.js'
import { GRAPH } from '../support/changed-graph.js'
import { Coverage } from '../support/coverage.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import { IDS } from '../support/random-site.js'

const [BATCHES, SIZE] = [process.env.SYSTEM === '1' || process.env.SOAK === '1' ? 100 : 10, 10]
const SEED = Number(process.env.SEED ?? 20_261_127)

const folder = mkdtempSync(join(tmpdir(), 'untouched-'))
afterAll(() => rmSync(folder, { recursive: true }))

const schema = graphSchema()
const released = parse(GRAPH, { noLocation: true })
const deprecated: DirectiveNode = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'deprecated' } }
const ALL_DEPRECATED = buildASTSchema(
  visit(released, {
    leave: (node) => (/^(Field|InputValue|EnumValue)Definition$/.test(node.kind) ? { ...node, directives: [deprecated] } : undefined),
  }),
  { assumeValid: true },
)

/** What documents use, in the words of the rule of graphql-js on deprecation. */
function usedBy(documents: readonly string[]): Set<string> {
  const errors = documents.flatMap((text) => validate(ALL_DEPRECATED, parse(text), [NoDeprecatedCustomRule], { maxErrors: 100_000 }))
  return new Set(
    errors.map(({ message }) =>
      message.replace(/^The (input )?field |^The enum value |^Field | is deprecated.*$/g, '').replaceAll('"', ''),
    ),
  )
}

/** A field that needs an argument, and has another type than any in the graph. */
const OTHER = (name: NameNode): FieldDefinitionNode => ({
  ...((parse('type T { f(needed: Int!): [Int] }').definitions[0] as ObjectTypeDefinitionNode).fields?.[0] as FieldDefinitionNode),
  name,
})

/** Changes about a third of what documents do not use: removes it, has it need an argument, or gives it another type. */
function changed(used: ReadonlySet<string>, hasInputs: boolean, random: Random) {
  const interfaces = new Set(
    released.definitions
      .flatMap((each) => (each.kind === Kind.INTERFACE_TYPE_DEFINITION ? (each.fields ?? []) : []))
      .map(({ name }) => name.value),
  )
  let count = 0
  const isHit = (name: string): boolean => !used.has(name) && random.pick([true, false, false]) && ++count > 0
  const graph = visit(released, {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.flatMap((field, place) => {
        const name = `${type.name.value}.${field.name.value}`
        const args = field.arguments?.filter(
          (argument) => !isHit(`${name} argument ${argument.name.value}`) || interfaces.has(field.name.value),
        )
        if (interfaces.has(field.name.value) || !isHit(name)) return [{ ...field, arguments: args ?? [] }]
        return random.pick([place === 0 ? [OTHER(field.name)] : [], [OTHER(field.name)]])
      }),
    }),
    InputObjectTypeDefinition: (type) =>
      hasInputs
        ? undefined
        : {
            ...type,
            fields: type.fields?.filter(
              (field, place) => place === 0 || field.type.kind === Kind.NON_NULL_TYPE || !isHit(`${type.name.value}.${field.name.value}`),
            ),
          },
    EnumTypeDefinition: (type) =>
      hasInputs
        ? undefined
        : { ...type, values: type.values?.filter((value, place) => place === 0 || !isHit(`${type.name.value}.${value.name.value}`)) },
  })
  return { sdl: print(graph), count }
}

it(`is silent about ${BATCHES * SIZE} generated documents that the changes of a graph do not touch`, { timeout: 300_000 }, async () => {
  const random = new Random(SEED)
  const coverage = new Coverage(schema, random)
  let changes = 0
  let warned = 0
  writeFileSync(join(folder, 'released.graphql'), GRAPH)
  let checking = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const operations = mkdtempSync(join(folder, 'operations-'))
    const texts = Array.from({ length: SIZE }, (_, number) => {
      const { query, variables } = randomOperation({ schema, random, ids: IDS, steering: coverage })
      const text = query.replace(/^query/, `query Random${number}`).replaceAll(/(\.\.\.|fragment )(?!on\b)(\w+)/g, `$1$2In${number}`)
      writeFileSync(join(operations, `${number}.graphql`), `# variables: ${JSON.stringify(variables)}\n${text}\n`)
      return text
    })
    const hasInputs = texts.some((text) =>
      [...text.matchAll(/\$\w+: \[?(\w+)/g)].some(([, name]) => !['Int', 'ID', 'String', 'Boolean', 'Float'].includes(name as string)),
    )
    const { sdl, count } = changed(usedBy(texts), hasInputs, random)
    writeFileSync(join(folder, 'changed.graphql'), sdl)
    const argv = [
      'check',
      operations,
      '--schema',
      join(folder, 'changed.graphql'),
      '--against',
      join(folder, 'released.graphql'),
      '--format',
      'json',
    ]
    const startedAt = performance.now()
    const { text, isFailed } = await runCheck(optionsOf(argv), () => {})
    checking += performance.now() - startedAt
    const { findings } = JSON.parse(text)
    expect(
      findings.filter(({ severity, file }: any) => severity === 'error' || file !== undefined),
      `seed ${SEED}, batch ${batch}`,
    ).toEqual([])
    expect(isFailed).toBe(false)
    changes += count
    warned += findings.length
  }
  console.log(`${changes} changes, ${warned} warnings without a place, ${Math.round(checking)} ms`)
  expect(changes).toBeGreaterThan(BATCHES * 50)
  expect(warned).toBeGreaterThan(BATCHES * 50)
})
