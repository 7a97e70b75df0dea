import { GraphQLDeferDirective, GraphQLStreamDirective } from '@graphql-tools/utils'
import { type GraphQLSchema, specifiedDirectives } from 'graphql'
import { builder } from './builder.js'
import './nodes.js'
import './scalars.js'
import '../resources/index.js'

let schema: GraphQLSchema | undefined

/** The graph as clients see it. */
export const graphSchema = (): GraphQLSchema =>
  (schema ??= builder.toSchema({ directives: [...specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective] }))
