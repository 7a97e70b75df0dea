import { isOrigin } from '../server/http/cors.js'
import { textList } from './names.js'
import { fileName, maxAgeText, onOff, RELATIVE, type Setting, trueOrFalse } from './setting.js'

const commands = ['serve'] as const

/** True or false; false in production unless it is set. */
const unlessProduction = {
  ...trueOrFalse,
  commands,
  schema: trueOrFalse.schema.nullable().default(null),
  otherwise: 'true; false when `NODE_ENV` is production',
} as const

/** What anonymous clients may read and run. */
export const EXPOSURE = {
  graphiql: { flag: 'graphiql', env: 'GRAPHIQL', ...unlessProduction, description: 'Whether browsers that open `/graphql` get GraphiQL.' },
  introspection: {
    flag: 'introspection',
    env: 'INTROSPECTION',
    ...unlessProduction,
    description: 'Whether clients may read the schema by introspection, and errors about unknown names suggest similar ones.',
  },
  corsOrigins: {
    flag: 'cors-origins',
    env: 'CORS_ORIGINS',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: textList.refine((texts) => texts.every((each) => each === '*' || isOrigin(each))).default([]),
    otherwise: 'none',
    allowed: 'a list of origins such as https://app.example.org, separated by commas, `*` for all of them, or `none`',
    description: 'Origins whose pages may call the gateway from browsers.',
  },
  trustedDocuments: {
    ...fileName,
    flag: 'trusted-documents',
    env: 'TRUSTED_DOCUMENTS',
    commands,
    description: `JSON file with documents that clients may name by their hashes. ${RELATIVE}`,
  },
  onlyTrusted: { flag: 'only-trusted', env: 'ONLY_TRUSTED', commands, ...onOff, description: 'Refuses documents that are not trusted.' },
  httpMaxAge: {
    flag: 'http-max-age',
    env: 'HTTP_MAX_AGE',
    value: 'SECONDS',
    commands: ['serve', 'schema', 'supergraph'],
    ...maxAgeText,
    description:
      'Seconds for which CDNs and browsers may keep answers to GET with trusted documents; for a subgraph, for which routers and their caches may keep its results. Answers with other types are not kept.',
  },
} as const satisfies Record<string, Setting>
