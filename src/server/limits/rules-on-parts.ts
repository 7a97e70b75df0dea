import { useDeferStream } from '@graphql-yoga/plugin-defer-stream'
import type { ValidationRule } from 'graphql'

/** The rules on `@defer` and `@stream`, which Yoga's plugin has. Fields of the same name are compared by graphql-js, which does so within a limit. */
export function rulesOnParts(): ValidationRule[] {
  const rules: ValidationRule[] = []
  const { onValidate } = useDeferStream()
  onValidate?.({ params: { rules: [] }, addValidationRule: (rule: ValidationRule) => rules.push(rule) } as never)
  return rules.filter(({ name }) => name !== 'OverlappingFieldsCanBeMergedRule')
}
