import { hash } from 'node:crypto'
import type { CodegenConfig } from '@graphql-codegen/cli'
import { preset } from '@graphql-codegen/client-preset'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { graphSchema } from 'lms-graphql'
import { scalars } from 'lms-graphql/schema'

/** The client preset, but with its manifest of documents beside the schema: that is for gateways, the rest is for tests. */
const client: typeof preset = {
  ...preset,
  buildGeneratesSection: async (options) => {
    const sections = await preset.buildGeneratesSection(options)
    return sections.map((each) => (each.filename.endsWith('persisted-documents.json') ? { ...each, filename: MANIFEST } : each))
  },
}

const MANIFEST = 'schema/trusted-documents.json'

const config: CodegenConfig = {
  schema: printSchema(lexicographicSortSchema(graphSchema())),
  documents: 'schema/operations/*.graphql',
  generates: {
    'schema/schema.graphql': { plugins: ['schema-ast'], config: { includeDirectives: true } },
    'src/documents.ts': {
      plugins: ['typescript-operations', 'typed-document-node'],
      config: { enumsAsTypes: true, useTypeImports: true, scalars, strictScalars: true, documentMode: 'documentNode' },
    },
    'test/support/documents/': {
      preset: client,
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: (text: string) => hash('sha256', text) } },
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
