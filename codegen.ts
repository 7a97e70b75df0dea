import type { CodegenConfig } from '@graphql-codegen/cli'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { graphSchema } from './dist/graph/schema.js'

/** Scalars as they come over the wire. */
const scalars = {
  DateTime: 'string',
  LocalDateTime: 'string',
  LocalDate: 'string',
  HTML: 'string',
  URL: 'string',
  JSONObject: 'Record<string, unknown>',
}

const config: CodegenConfig = {
  schema: printSchema(lexicographicSortSchema(graphSchema())),
  documents: 'schema/operations/*.graphql',
  generates: {
    'schema/schema.graphql': { plugins: ['schema-ast'], config: { includeDirectives: true } },
    'test/support/documents/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        scalars,
        strictScalars: true,
        emitLegacyCommonJSImports: false,
        importExtension: '.js',
      },
    },
  },
}

export default config
