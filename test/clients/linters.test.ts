import { fileURLToPath } from 'node:url'
import graphqlEslint from '@graphql-eslint/eslint-plugin'
import { ESLint } from 'eslint'
import { expect, it } from 'vitest'

const fileOf = (name: string): string => fileURLToPath(new URL(`../../schema/${name}.graphql`, import.meta.url))

interface Left {
  readonly findings: number
  readonly why: string
}

/** Accepted findings of the linters, each with its reason. */
const LEFT: Readonly<Record<'schema-all' | 'schema-relay', Readonly<Record<string, Left>>>> = {
  'schema-all': {
    alphabetize: { findings: 32, why: 'the file is sorted by letters throughout; the rule wants `id` and some others first' },
    'strict-id-in-types': {
      findings: 71,
      why: 'connections, edges, errors, payloads, links, answers of a question, and computed values such as `Access` have no identity: every type that has one has an `id`',
    },
    'no-typename-prefix': {
      findings: 15,
      why: '`courseTagIds` is not `tagIds`, which is there too: terms of the LMS beside those of the site; `answer` and `link` are what a member is called',
    },
    'no-root-type': { findings: 1, why: 'the rule is for graphs that want no mutations' },
    'naming-convention': { findings: 1, why: 'a `PriceType` is a type of price, as the LMS calls it' },
  },
  'schema-relay': {
    'relay-edge-types': {
      findings: 95,
      why: 'the rule wants no lists but those of edges; `nodes` stands beside them, and ids, prerequisites, links and reasons are short lists without pages',
    },
  },
}

const plugin = graphqlEslint as unknown as {
  readonly parser: object
  readonly configs: Readonly<Record<string, { readonly rules: Readonly<Record<string, unknown>> }>>
}

/** Number of findings of each rule of a preset. */
async function findings(preset: string, name: string): Promise<Record<string, number>> {
  const schema = fileOf(name)
  const languageOptions = { parser: plugin.parser, parserOptions: { graphQLConfig: { schema } } }
  const rules = plugin.configs[`flat/${preset}`]?.rules
  const eslint = new ESLint({
    overrideConfigFile: true,
    overrideConfig: [{ files: ['**/*.graphql'], languageOptions, plugins: { '@graphql-eslint': graphqlEslint }, rules }] as never,
  })
  const [result] = await eslint.lintFiles([schema])
  const found: Record<string, number> = {}
  for (const { ruleId, message } of result?.messages ?? []) {
    const name = ruleId?.replace('@graphql-eslint/', '') ?? message
    found[name] = (found[name] ?? 0) + 1
  }
  return found
}

it.each(Object.entries(LEFT))('%s has no findings without a reason', async (preset, left) => {
  const found = await findings(preset, 'schema')
  console.log(
    `${preset}: ${Object.entries(found)
      .map(([rule, count]) => `${rule} ${count}`)
      .join(', ')}`,
  )
  expect(found).toEqual(Object.fromEntries(Object.entries(left).map(([rule, { findings }]) => [rule, findings])))
  // The graph for clients that handle errors has one further directive.
  expect(await findings(preset, 'semantic')).toEqual(found)
  for (const { why } of Object.values(left)) expect(why).toMatch(/\w+ \w+/)
})
