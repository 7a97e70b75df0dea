/** An error's text and that of its causes, and where they come from; not what else hangs on them, which may be a secret. */
export function faultText(error: unknown): string {
  if (!(error instanceof Error)) return 'lms-graphql: something that is no error was thrown\n'
  const lines = []
  for (let each: unknown = error; each instanceof Error; each = each.cause) lines.push(`lms-graphql: ${each.stack ?? each.message}\n`)
  return lines.join('')
}
