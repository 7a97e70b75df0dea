import type { CodegenConfig } from '@graphql-codegen/cli'
import { scalars, typeDefs } from 'lms-graphql/schema'

const config: CodegenConfig = {
  schema: typeDefs,
  documents: ['src/**/*.{ts,tsx}', '!src/relay/**'],
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: { scalars, strictScalars: true, enumsAsTypes: true, useTypeImports: true },
    },
  },
}

export default config
