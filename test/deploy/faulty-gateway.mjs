import { parseArgs } from 'node:util'
import { startGateway } from '../../dist/index.js'
import { Course, defineResource } from '../../dist/kit.js'

// A gateway with fields that fail, with some flags of the command.

const text = { type: 'string' }
const { values } = parseArgs({ strict: false, options: { upstream: text, port: text, metrics: text } })

const fail = () => {
  throw new TypeError('a fault of the resource')
}

const faulty = defineResource('faulty', (builder) => {
  builder.objectField(Course, 'failsFast', (t) =>
    t.string({
      nullable: true,
      description: 'Fails on the fast path only.',
      extensions: { lms: { resolve: fail } },
      resolve: () => 'value',
    }),
  )
  builder.objectField(Course, 'failsAlways', (t) => t.string({ nullable: true, description: 'Fails always.', resolve: fail }))
})

const gateway = await startGateway({
  site: { url: values.upstream },
  http: { port: Number(values.port) },
  observe: { metrics: Number(values.metrics) },
  resources: [faulty],
})
console.log(`GraphQL at ${gateway.url}/graphql`)
