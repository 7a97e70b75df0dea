import type { CodegenConfig } from '@graphql-codegen/cli'
import { scalars, semanticTypeDefs } from 'lms-graphql/schema'

const config: CodegenConfig = {
  schema: semanticTypeDefs,
  documents: 'semantic/src/**/*.ts',
  generates: {
    'semantic/src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        nullability: { errorHandlingClient: true },
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
