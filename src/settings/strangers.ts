import { z } from 'zod'
import { isOrigin } from '../server/http/cors.js'
import { fileName, onOff, type Setting, trueUnlessSaid } from './setting.js'

const commands = ['serve'] as const

/** True or false; where nothing is set, production decides. */
const unlessProduction = {
  value: 'BOOLEAN',
  commands,
  holds: 'boolean',
  schema: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .nullable()
    .default(null),
  otherwise: 'true; false where `NODE_ENV` is production',
  allowed: 'true or false',
} as const

/** What those get to see and to run whom nobody knows. */
export const STRANGERS = {
  graphiql: { flag: 'graphiql', env: 'GRAPHIQL', ...unlessProduction, description: 'Whether browsers that open `/graphql` get GraphiQL.' },
  introspection: {
    flag: 'introspection',
    env: 'INTROSPECTION',
    ...unlessProduction,
    description: 'Whether clients may ask what the graph consists of.',
  },
  suggestions: {
    flag: 'suggestions',
    env: 'SUGGESTIONS',
    ...unlessProduction,
    description: 'Whether errors suggest names that are like unknown ones.',
  },
  corsOrigins: {
    flag: 'cors-origins',
    env: 'CORS_ORIGINS',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: z
      .string()
      .transform((texts): readonly string[] => (texts === 'none' ? [] : texts.split(',').map((each) => each.trim())))
      .refine((texts) => texts.every((each) => each === '*' || isOrigin(each)))
      .default([]),
    otherwise: 'none',
    allowed: 'a list of origins such as https://app.example.org, separated by commas, `*` for all of them, or `none`',
    description: 'Origins whose pages may call the gateway from browsers.',
  },
  trustedDocuments: {
    ...fileName,
    flag: 'trusted-documents',
    env: 'TRUSTED_DOCUMENTS',
    commands,
    description: 'File with documents that clients may name by their hashes, in JSON.',
  },
  onlyTrusted: { flag: 'only-trusted', env: 'ONLY_TRUSTED', commands, ...onOff, description: 'Refuses all other documents.' },
  persistedQueries: {
    flag: 'persisted-queries',
    env: 'PERSISTED_QUERIES',
    commands,
    ...trueUnlessSaid,
    description: 'Whether clients may have documents kept by their hashes, as those of Apollo do.',
  },
} as const satisfies Record<string, Setting>
