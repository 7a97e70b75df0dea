import { readFileSync } from 'node:fs'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  /** A place on the grid, which is 24 columns wide. */
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[]
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
}

interface Variable {
  readonly name: string
  readonly type: string
  readonly query: string | { readonly query: string }
}

interface Dashboard {
  readonly schemaVersion: number
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly Variable[] }
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] }
}

export const dashboard = JSON.parse(readFileSync(new URL('../../deploy/grafana/lms-graphql.json', import.meta.url), 'utf8')) as Dashboard

/** Values of the variables of the dashboard; `window` is that of rates. */
interface Values {
  readonly job: string
  readonly instance: string
  readonly window: string
}

/** The selector in `label_values(selector, label)`. */
const selectorIn = (query: string): string => /^label_values\((.+), *\w+\)$/.exec(query)?.[1] ?? query

/** Every query of the panels, the variables and the annotations, as Grafana sends it, with its place. */
export function expressionsOf({ job, instance, window }: Values): { readonly place: string; readonly expr: string }[] {
  const { panels, templating, annotations } = dashboard
  const all = [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ refId, expr }) => ({ place: `${title} ${refId}`, expr }))),
    ...templating.list
      .filter(({ type }) => type === 'query')
      .map(({ name, query }) => ({ place: `$${name}`, expr: selectorIn(typeof query === 'string' ? query : query.query) })),
    ...annotations.list.map(({ name, expr }) => ({ place: name, expr })),
  ]
  const substituted = (expr: string): string =>
    expr.replaceAll('$__rate_interval', window).replaceAll('$job', job).replaceAll('$instance', instance)
  return all.map(({ place, expr }) => ({ place, expr: substituted(expr) }))
}
