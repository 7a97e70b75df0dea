import { Estimator } from '../../src/cost/estimate.js'
import { graphSchema } from '../../src/graph/schema.js'
import { entitiesIn } from '../../src/model/marks.js'
import type { Upstream } from '../../src/prefetch/operation.js'
import { Client } from '../../src/upstream/client.js'
import { Projections } from '../../src/upstream/codec/records.js'
import { CapabilityCache } from '../../src/upstream/site/capabilities.js'
import type { Site } from '../../src/upstream/site/site.js'
import { ViewerCache } from '../../src/upstream/site/viewers.js'
import type { Transport } from '../../src/upstream/transport/transport.js'

/** What operations need of a site, for tests that run the engine without a server. */
export const upstreamOf = (site: Site, transport: Transport, more: Partial<Upstream> = {}): Upstream => ({
  client: new Client(site, transport),
  projections: new Projections(site),
  capabilities: new CapabilityCache(),
  viewers: new ViewerCache(),
  limits: { rows: 1_000, unpaged: 10 },
  entities: entitiesIn(graphSchema()),
  estimator: new Estimator(),
  maxCalls: 10_000,
  ...more,
})
