import { choice, fileName, offByDefault, type Section, type Values, webAddress, wholeNumber } from './option.js'

/** Arguments of a single command. Each has a flag, but no variable, and no key in a settings file. */
export const ARGUMENTS = {
  backup: {
    ...fileName,
    commands: ['lms'],
    description: 'Copies the data file to this new file and exits; an LMS may be using it meanwhile.',
  },
  semanticNullability: {
    ...offByDefault,
    commands: ['schema'],
    description: 'Prints the graph with `@semanticNonNull` on fields that are null only with an error.',
  },
  url: {
    ...webAddress,
    schema: webAddress.schema.transform((address) => new URL(address).href),
    commands: ['supergraph', 'check'],
    otherwise: 'none; `supergraph` needs it',
    description: 'Address of the gateway, such as https://lms.example.org/graphql: at which routers reach it, or to check against.',
  },
  headersFile: { ...fileName, commands: ['check'], description: 'File with the headers of requests to `--url`, one per line.' },
  schema: { ...fileName, commands: ['check', 'usage'], description: 'File with the graph as SDL, instead of the graph of this version.' },
  against: { ...fileName, commands: ['check'], description: 'File with the released graph as SDL, to find what a new graph breaks.' },
  usage: { ...fileName, commands: ['check'], description: 'File that `usage --format json` has printed: what was used must stay.' },
  unused: { ...offByDefault, commands: ['check'], description: 'Prints the fields that no operation uses.' },
  format: {
    ...choice(['text', 'json', 'github']),
    default: 'text',
    commands: ['check', 'doctor', 'usage'],
    description: 'Prints a table, or everything as JSON; `check` also annotations of GitHub Actions.',
  },
  write: { ...fileName, commands: ['doctor'], description: 'Writes a settings file for `serve --config FILE`.' },
  force: { ...offByDefault, commands: ['doctor'], description: 'Overwrites that file.' },
  user: { ...wholeNumber(1, 2_147_483_647), value: 'ID', commands: ['doctor'], description: 'User whose course progress is examined.' },
  question: { ...wholeNumber(1, 2_147_483_647), value: 'ID', commands: ['doctor'], description: 'Question that is examined.' },
} as const satisfies Section

export type Arguments = Values<typeof ARGUMENTS>
