/** What `<!-- test: key=value flag -->` above a block says. A flag is an empty text. */
export type Directive = Readonly<Record<string, string>>

/** Every key, with what it does. Those with `flag` take no value. */
export const KEYS: Readonly<Record<string, { readonly flag?: true; readonly description: string }>> = {
  as: { description: 'The demo user who sends the operation; without it the caller is anonymous.' },
  calls: { description: 'The number of REST calls the operation makes.' },
  errors: { description: 'The number of errors in the response; 0 without it.' },
  variables: { description: 'The variables of the operation as JSON.' },
  extensions: { description: 'The extensions of the request as JSON.' },
  answer: { flag: true, description: 'The block is the body of the response to the `graphql` block above it, in the same section.' },
  file: { description: 'The block equals this file of the repository, without its leading comment.' },
  name: { description: 'The block is written to this file of the folder in which the commands of the page run.' },
  settings: { flag: true, description: 'The block is a valid settings file.' },
  output: { flag: true, description: 'The `sh` block above prints these lines; `…` stands for any text, and a line `...` for any lines.' },
  exit: { description: 'The exit code of the commands; 0 without it.' },
  by: { description: 'This test file checks the block.' },
  none: { flag: true, description: 'No test can run the block.' },
  reason: { description: 'Why no test can run the block.' },
}

const PART = /([\w-]+)(?:=(?:'([^']*)'|"([^"]*)"|([^\s'"]+)))?(?:\s+|$)/y

/** Reads the text after `test:`. */
export function readDirective(text: string): { readonly directive: Directive; readonly complaint?: string } {
  const directive: Record<string, string> = {}
  const trimmed = text.trim()
  PART.lastIndex = 0
  while (PART.lastIndex < trimmed.length) {
    const start = PART.lastIndex
    const found = PART.exec(trimmed)
    if (!found) return { directive, complaint: `\`${trimmed.slice(start)}\` is not \`key=value\`, \`key='value'\` or a flag.` }
    const [, key = '', single, double, bare] = found
    const known = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
    const value = single ?? double ?? bare
    if (!known) return { directive, complaint: `\`${key}\` is not a key; there are ${Object.keys(KEYS).join(', ')}.` }
    if (known.flag ? value !== undefined : value === undefined)
      return { directive, complaint: `\`${key}\` ${known.flag ? 'takes no value' : 'has no value'}.` }
    if (Object.hasOwn(directive, key)) return { directive, complaint: `\`${key}\` is there twice.` }
    directive[key] = value ?? ''
  }
  return { directive }
}
