import { isDeepStrictEqual } from 'node:util'
import { inject, TestRunner } from 'vitest'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { ALL_COLUMNS, ALL_COLUMNS_NAMES } from '../profiles/differences.js'
import { OTHERWISE } from '../profiles/otherwise.js'
import type { Login } from './world.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Kind of site the suites run in front of. */
    profile: 'lms' | 'learndash' | 'learndash-5'
  }
  interface TaskMeta {
    /** Differences from the specification that the test expected, from the table of differences. */
    otherwise?: string[]
  }
}

/** The kind of site the suites run in front of: that of the vitest project. */
export const PROFILE = inject('profile')

/** Whether it is a site of the plugin. */
export const IS_PLUGIN = PROFILE !== 'lms'

/** The settings for the routes of WordPress itself that sites have besides those of the specification. */
export const OWN_ROUTES: SiteNames = { routes: ['users', 'media', 'terms'] }

/** The same with those of the LMS, but for those that tell something of the viewer. */
export const ALL_ROUTES: SiteNames = {
  routes: ['users', 'media', 'terms', 'sfwd-courses/steps', 'sfwd-courses/users', 'sfwd-courses/groups', 'sfwd-topic', 'sfwd-question'],
}

/** The settings of the gateway for the site. */
export const SITE_NAMES: SiteNames = IS_PLUGIN ? PRESETS.learndash : OWN_ROUTES

/** The same for a site with the routes of the preset `learndash`. */
export const WITH_WORDPRESS: SiteNames = { ...SITE_NAMES, routes: PRESETS.learndash.routes }

/** Options of `World.start` for a site with all columns, and the settings of the gateway for it. */
export const ALL_COLUMNS_SITE = [{ switches: ALL_COLUMNS }, IS_PLUGIN ? ALL_COLUMNS_NAMES : OWN_ROUTES] as const

/** Who may read published records: everybody, or administrators only on sites of the plugin. */
export const READER: { readonly as?: Login } = IS_PLUGIN ? { as: 'admin' } : {}

/** Converts paths and names between a site and the specification. */
export interface Spelling {
  /** A text of the site as the specification spells it. */
  readonly specified: (text: string) => string
  /** A path of the specification as the site spells it. */
  readonly spelled: (path: string) => string
}

export const AS_SPECIFIED: Spelling = { specified: (text) => text, spelled: (path) => path }

const OF_PLUGIN: Spelling = {
  specified: (text) =>
    text
      .replaceAll('/ldlms/', '/lms/')
      .replaceAll('_fields=', '_filter=')
      .replaceAll(/\bld_/g, 'lms_')
      .replaceAll(/&posts_per_page=\d+/g, ''),
  spelled: (path) =>
    path
      .replaceAll('/lms/', '/ldlms/')
      .replaceAll('_filter=', '_fields=')
      .replaceAll(/\blms_/g, 'ld_'),
}

/** The spelling of the site the suites run in front of. */
export const SPELLING = IS_PLUGIN ? OF_PLUGIN : AS_SPECIFIED

/** Rows of the table of differences for the file of the current test. */
const differences = (): (typeof OTHERWISE)[string] =>
  OTHERWISE[TestRunner.getCurrentTest()?.file.name.replace(/^test\/|\.test\.ts$/g, '') ?? ''] ?? {}

/** Whether the table of differences has a row with this name for the test's file. */
export const isOtherwise = (name: string): boolean => IS_PLUGIN && differences()[name] !== undefined

/**
 * What a test expects: the value of the specification, or, on sites of the plugin, the value of the table of differences with this name for
 * the test's file.
 */
export function otherwise<T>(name: string, specified: T): T {
  if (!IS_PLUGIN) return specified
  const row = differences()[name]
  if (!row) throw new Error(`The table of differences has no \`${name}\` for this file.`)
  const expected = typeof row.is === 'function' ? row.is(specified) : row.is
  if (isDeepStrictEqual(expected, specified)) throw new Error(`\`${name}\` is as specified: take it off the table of differences.`)
  const meta = TestRunner.getCurrentTest()?.meta
  if (meta) meta.otherwise = [...(meta.otherwise ?? []), row.what]
  return expected
}
