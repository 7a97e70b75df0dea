// Without this folder all answers and REST calls are the same: to delete it, write `const ACCELERATORS = {}` in place of its import in `assembly.ts`.
import type { GraphQLSchema } from 'graphql'
import { jsonPosts } from './json-posts.js'
import { CompiledWriters } from './response-writer.js'

/** What skips a library where nothing is out of the ordinary: the response writers graphql-js, and the handler of JSON posts Yoga. */
export const ACCELERATORS = { writers: (schema: GraphQLSchema) => new CompiledWriters(schema), jsonPosts }
