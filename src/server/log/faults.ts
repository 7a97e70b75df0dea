/** What a log shows of a fault. */
export interface ShownFault {
  readonly type: string
  readonly message: string
  readonly stack: string
}

/** An error's text and that of its causes, and where they come from; not what else hangs on them, which may be a secret. */
export function shownFault(fault: unknown): ShownFault {
  if (!(fault instanceof Error)) return { type: typeof fault, message: 'Something that is no error was thrown.', stack: '' }
  const stacks: string[] = []
  for (let each: unknown = fault; each instanceof Error && stacks.length < MAX_CAUSES; each = each.cause)
    stacks.push(each.stack ?? each.message)
  return { type: fault.name, message: fault.message, stack: stacks.join('\ncaused by: ') }
}

/** Causes may go round in a circle. */
const MAX_CAUSES = 10

/** The same for people, where there is no log yet. */
export function faultText(fault: unknown): string {
  const { message, stack } = shownFault(fault)
  return `lms-graphql: ${stack || message}\n`
}
