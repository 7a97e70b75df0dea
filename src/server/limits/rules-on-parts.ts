import { useDeferStream } from '@graphql-yoga/plugin-defer-stream'
import type { ValidationRule } from 'graphql'

/**
 * The validation rules on `@defer` and `@stream`. `@graphql-yoga/plugin-defer-stream` 3.24.1 does not export them, so this calls the hook of
 * its plugin that adds them. Its rule on overlapping fields is left out: the one of graphql-js has a limit on comparisons. Throws when the
 * plugin has other rules.
 */
export function rulesOnParts(): ValidationRule[] {
  const rules: ValidationRule[] = []
  const { onValidate } = useDeferStream()
  onValidate?.({ params: { rules: [] }, addValidationRule: (rule: ValidationRule) => rules.push(rule) } as never)
  const own = rules.filter(({ name }) => name !== 'OverlappingFieldsCanBeMergedRule')
  const names = own.map(({ name }) => name).sort()
  if (names.join() !== EXPECTED.join()) throw new Error(`@graphql-yoga/plugin-defer-stream has other rules: ${names.join(', ')}.`)
  return own
}

const EXPECTED = ['DeferStreamDirectiveLabelRule', 'DeferStreamDirectiveOnRootFieldRule', 'StreamDirectiveOnListFieldRule']
