import type { CodegenConfig } from '@graphql-codegen/cli'
import { scalars, typeDefs } from 'lms-graphql/schema'

const config: CodegenConfig = {
  schema: typeDefs,
  documents: 'src/**/*.ts',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: {
        fragmentMasking: { unmaskFunctionName: 'readFragment' },
        persistedDocuments: { hashAlgorithm: 'sha256' },
      },
      config: {
        scalars,
        strictScalars: true,
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        emitLegacyCommonJSImports: false,
        importExtension: '.js',
      },
    },
  },
}

export default config
