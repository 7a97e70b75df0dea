import { useDeferStream } from '@graphql-yoga/plugin-defer-stream'
import { specifiedRules, type ValidationRule } from 'graphql'

/**
 * The validation rules on `@defer` and `@stream`. `@graphql-yoga/plugin-defer-stream` 3.24.1 does not export them, so this calls the hook of
 * its plugin that adds them; `test/server/limits.test.ts` fails when it adds others. Rules that graphql-js has itself are left
 * out: its rule on overlapping fields has a limit on comparisons, and graphql-js 17 has all of them.
 */
export function rulesOnParts(): ValidationRule[] {
  const rules: ValidationRule[] = []
  const { onValidate } = useDeferStream()
  onValidate?.({ params: { rules: [] }, addValidationRule: (rule: ValidationRule) => rules.push(rule) } as never)
  const known = new Set(specifiedRules.map(({ name }) => name))
  return rules.filter(({ name }) => !known.has(name))
}
