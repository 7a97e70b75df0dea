import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routesIn } from '../../src/options/lms.js'
import { authorizationOf, type Login, World } from '../support/world.js'
import { blockAbove, blocksOf } from './contract.js'
import { ALL_PAGES, type Block, placeOf } from './page.js'

// Every operation of the documentation runs in front of the embedded LMS. Operations of one page run in its order, on one LMS.

/** The settings in front of the embedded LMS as it starts. */
const AS_STARTED = { routes: routesIn({ profile: 'lms', switches: [] } as never) }

const PAGES = ALL_PAGES.filter(({ blocks }) => blocksOf(blocks, 'operation').length > 0)

it('answers are below an operation', () => {
  const alone = ALL_PAGES.flatMap(({ blocks }) => blocksOf(blocks, 'answer').filter((block) => !blockAbove(blocks, block, 'operation')))
  expect(alone.map(placeOf)).toEqual([])
})

describe.each(PAGES)('$path', ({ blocks }) => {
  let world: World
  beforeAll(async () => {
    world = await World.start({ observe: { explainFor: ['everybody'] } }, { profile: 'lms' }, AS_STARTED)
  })
  afterAll(() => world.close())

  async function run({ text, directive: { as, variables, extensions } }: Block) {
    world.calls.length = 0
    const request = {
      query: text,
      ...(variables !== undefined && { variables: JSON.parse(variables) }),
      ...(extensions !== undefined && { extensions: JSON.parse(extensions) }),
    }
    const response = await world.gateway.post(request, as === undefined ? {} : { authorization: authorizationOf(as as Login) })
    return { body: (await response.json()) as { errors?: object[] }, calls: world.calls.length }
  }

  it.each(blocksOf(blocks, 'operation').map((block) => [placeOf(block), block] as const))('%s', async (_, block) => {
    const { body, calls } = await run(block)
    const { errors = '0', calls: expected } = block.directive
    const found = body.errors ?? []
    expect(found.length, JSON.stringify(found)).toBe(Number(errors))
    if (expected !== undefined) expect(calls).toBe(Number(expected))
    for (const answer of blocksOf(blocks, 'answer')) {
      if (blockAbove(blocks, answer, 'operation') === block) expect(body, placeOf(answer)).toEqual(JSON.parse(answer.text))
    }
  })
})
