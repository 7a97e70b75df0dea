/** A group of pages in the sidebar. */
export interface Section {
  readonly title: string
  /** Paths of the pages below `docs`. */
  readonly pages: readonly string[]
}

/** The order of the pages. `test/docs/pages.test.ts` checks that it has every page once. */
export const PLAN: readonly Section[] = [
  { title: 'Start', pages: ['getting-started.md', 'wordpress.md', 'stock-site.md', 'comparison.md'] },
  { title: 'The graph', pages: ['graph.md', 'access.md', 'cost.md', 'not-in-the-graph.md', 'graphiql.md'] },
  {
    title: 'Front ends',
    pages: [
      'front-ends/index.md',
      'front-ends/operations.md',
      'front-ends/checks.md',
      'front-ends/codegen.md',
      'front-ends/urql.md',
      'front-ends/apollo.md',
      'front-ends/relay.md',
      'front-ends/tanstack-query.md',
      'front-ends/sign-in.md',
      'front-ends/learner-home.md',
      'front-ends/testing.md',
    ],
  },
  { title: 'In your program', pages: ['embedding.md', 'kit.md', 'embedded-lms.md'] },
  {
    title: 'In a larger graph',
    pages: [
      'federation.md',
      'federation/hive-gateway.md',
      'federation/apollo-router.md',
      'federation/cosmo.md',
      'federation/wpgraphql.md',
      'federation/registries.md',
    ],
  },
  {
    title: 'Running the gateway',
    pages: [
      'operating.md',
      'deploying.md',
      'containers.md',
      'kubernetes.md',
      'replicas.md',
      'redis.md',
      'networks.md',
      'protection.md',
      'cache.md',
      'http-caching.md',
      'webhooks.md',
      'purging.md',
      'security.md',
      'observing.md',
      'alerts.md',
      'last-night.md',
    ],
  },
  { title: 'Reference', pages: ['reference/settings.md', 'reference/errors.md', 'roles.md', 'reference/switches.md'] },
  {
    title: 'Schema',
    pages: [
      'reference/schema.md',
      'reference/schema/courses.md',
      'reference/schema/groups.md',
      'reference/schema/lessons.md',
      'reference/schema/quizzes.md',
      'reference/schema/users.md',
      'reference/schema/price-types.md',
      'reference/schema/shared.md',
    ],
  },
  { title: 'The project', pages: ['architecture.md', 'contributing.md'] },
]

/** The page outside the sidebar. */
export const HOME = 'index.md'
