import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.js'
import { PRESETS, siteOf } from '../../src/upstream/site/presets.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { examineAs, OF_LEARNDASH, optionsOf, parsedConfig, routesOf } from '../doctor/patient.js'
import { authorizationOf, World } from '../support/world.js'
import { EXAMPLES } from './examples.js'

const inOrder = (site: Site): Site => ({ ...site, routes: [...site.routes].sort() })

it.each(['lms', 'learndash', 'learndash-5'] as const)(
  'the configuration the doctor writes for %s answers the examples as its settings do',
  { timeout: 120_000 },
  async (profile) => {
    const preset = profile === 'lms' ? PRESETS.lms : PRESETS.learndash
    const settings = { ...preset, routes: routesOf(profile), ...OF_LEARNDASH }
    const told = await World.start({}, { profile }, settings)
    const examination = await examineAs(told.lms.url, 'admin')
    const site = siteOf(optionsOf(examination).site)
    expect(inOrder(site)).toEqual(inOrder(defineSite(site.url, settings)))
    const gateway = createGateway(parsedConfig(examination))
    let records = 0
    for (const { name, text: query, variables } of EXAMPLES) {
      const response = await gateway.fetch('http://gateway.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: authorizationOf('admin') },
        body: JSON.stringify({ query, variables }),
      })
      const answer = (await response.json()) as { data: unknown; errors?: unknown }
      const { data, errors } = await told.query(query, { as: 'admin', variables })
      expect([name, answer.errors ?? [], answer.data]).toEqual([name, errors, data])
      records += JSON.stringify(answer.data).split('"title"').length - 1
    }
    expect(records).toBeGreaterThan(50)
    await gateway.close()
    await told.close()
  },
)
