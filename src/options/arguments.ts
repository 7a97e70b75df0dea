import { fileName, offByDefault, type Section, type Values, webAddress, wholeNumber } from './option.js'

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
    commands: ['supergraph'],
    otherwise: 'none; it is needed',
    description: 'Address at which routers reach the gateway, such as https://lms.example.org/graphql.',
  },
  json: { ...offByDefault, commands: ['doctor'], description: 'Prints everything as JSON instead of a table.' },
  write: { ...fileName, commands: ['doctor'], description: 'Writes a settings file for `serve --config FILE`.' },
  force: { ...offByDefault, commands: ['doctor'], description: 'Overwrites that file.' },
  user: { ...wholeNumber(1, 2_147_483_647), value: 'ID', commands: ['doctor'], description: 'User whose course progress is examined.' },
  question: { ...wholeNumber(1, 2_147_483_647), value: 'ID', commands: ['doctor'], description: 'Question that is examined.' },
} as const satisfies Section

export type Arguments = Values<typeof ARGUMENTS>
