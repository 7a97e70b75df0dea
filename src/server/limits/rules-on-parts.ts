import { useDeferStream } from '@graphql-yoga/plugin-defer-stream'
import type { ValidationRule } from 'graphql'

/**
 * The validation rules on `@defer` and `@stream`. `@graphql-yoga/plugin-defer-stream` 3.24.1 does not export them, so this calls the hook of
 * its plugin that adds them; `test/server/limits.test.ts` fails when it adds others. Its rule on overlapping fields is left out: the one of
 * graphql-js has a limit on comparisons.
 */
export function rulesOnParts(): ValidationRule[] {
  const rules: ValidationRule[] = []
  const { onValidate } = useDeferStream()
  onValidate?.({ params: { rules: [] }, addValidationRule: (rule: ValidationRule) => rules.push(rule) } as never)
  return rules.filter(({ name }) => name !== 'OverlappingFieldsCanBeMergedRule')
}
