import { Course, defineResource } from '../../dist/kit.js'
import { startTuned } from '../../dist/start.js'

// A gateway with what the command cannot have: constants in place of its own, and fields that fail. Its options are JSON.

const { tuning, ...options } = JSON.parse(process.argv[2])

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
  builder.objectField(Course, 'blocks', (t) =>
    t.string({
      nullable: true,
      description: 'Keeps the process busy for 700 ms.',
      resolve: () => {
        for (const end = Date.now() + 700; Date.now() < end; );
        return 'value'
      },
    }),
  )
  builder.objectField(Course, 'failsAlways', (t) => t.string({ nullable: true, description: 'Fails always.', resolve: fail }))
})

const gateway = await startTuned({ ...options, resources: [faulty] }, tuning)
console.log(`GraphQL at ${gateway.url}/graphql`)
