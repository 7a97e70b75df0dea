import { type Command, NONE, type Option } from './option.js'
import { hasOption } from './reading.js'
import { ARGUMENT_ENTRIES, type Area, ENTRIES, type Entry, SETTINGS_FILE } from './table.js'

/** The usage of each command, and what it does. */
const USAGES: Readonly<Record<Command, readonly [line: string, purpose: string]>> = {
  serve: ['[serve] [flags]', 'the gateway; without --upstream in front of the embedded LMS'],
  lms: ['lms [flags]', 'the embedded LMS alone'],
  schema: ['schema [flags]', 'print the graph as SDL, with --subgraph the one for routers'],
  supergraph: ['supergraph [flags]', 'print a supergraph of the gateway alone, for routers'],
  doctor: ['doctor [flags]', 'examine the site of --upstream, and write its settings'],
  config: ['config [flags]', 'print the options of serve, and where each comes from'],
  check: ['check [DIR] [flags]', 'check a folder of operations against the graph, for CI'],
  usage: ['usage DIR [flags]', 'print the use of a folder of operations, from a log on stdin'],
}

/** The titles of the areas. */
export const TITLES: Readonly<Record<Area, string>> = {
  site: 'The site',
  network: 'Network',
  access: 'Access',
  protection: 'Protection of the site',
  limits: 'Limits',
  cache: 'Cache',
  redis: 'Redis',
  hooks: 'Webhooks',
  http: 'HTTP',
  observe: 'Observing',
  subgraph: 'Subgraph',
  lms: 'The embedded LMS',
}

/** The options in the short help: those with which people begin. */
const COMMON = [
  'site.url',
  'site.preset',
  'site.user',
  'site.password',
  'access.apiKeys',
  'access.open',
  'access.jwtJwksUrl',
  'protection.maxInFlight',
  'limits.maxCalls',
  'cache.maxAge',
  'http.port',
  'http.host',
  'http.corsOrigins',
  'http.operations',
  'observe.logLevel',
  'observe.metrics',
  'subgraph.enabled',
  'lms.data',
]

/** Those with which people check operations. */
const COMMON_IN_CHECKS = ['site.preset', 'limits.maxCalls', 'http.operations', 'subgraph.enabled']

/** A flag with the placeholder of its value. The value of a flag without one is optional. */
export const flagText = ({ flag, value, kind }: Pick<Entry, 'flag' | 'value' | 'kind'>): string =>
  `--${flag} ${value ?? (kind === 'boolean' ? '[BOOLEAN]' : '[VALUE]')}`

/** The default of an option, in words. */
export function defaultText({ otherwise, default: value, kind, area, name }: Option & Pick<Entry, 'area' | 'name'>): string {
  if (otherwise !== undefined) return otherwise
  if (area === 'site' && value === undefined && name !== 'password' && kind !== 'file') return "the preset's"
  return value === undefined || (Array.isArray(value) && value.length === 0) ? NONE : String(value)
}

const lineOf = (left: string, right: string): string => `${`  ${left}`.padEnd(31)} ${right}`

const shortLine = (entry: Entry): string =>
  lineOf(entry.flag === undefined ? `${entry.env}` : flagText(entry), firstSentence(entry.description))

const firstSentence = (text: string): string => /^.*?(?:[.:;](?= )|$)/.exec(text)?.[0].replace(/[:;]$/, '.') as string

const longLine = (entry: Entry): string => {
  const { flag, env, description } = entry
  const source = env === undefined ? '' : flag === undefined ? 'environment only; ' : `${env}; `
  return lineOf(flag === undefined ? `${env}` : flagText(entry), `${description} (${source}default: ${defaultText(entry)})`)
}

/** What `--help` prints: the common options in one screen, or with `isWhole` all of them; of one command, or of `serve`. */
export function helpText(command: Command | undefined, isWhole: boolean): string {
  const of = command ?? 'serve'
  const entries = [...ENTRIES, ...ARGUMENT_ENTRIES, SETTINGS_FILE].filter((entry) => hasOption(of, entry))
  const isShort = !isWhole && (of === 'serve' || of === 'config' || of === 'check')
  const common = of === 'check' ? COMMON_IN_CHECKS : COMMON
  const shown = isShort ? entries.filter(({ area, path }) => area === undefined || common.includes(path)) : entries
  const areas = [...new Set([...shown.map(({ area }) => area), undefined])]
  return [
    ...usage(command),
    ...areas.flatMap((area) => [
      ...(isShort ? [] : ['']),
      area === undefined ? 'Command line:' : `${TITLES[area]}:`,
      ...shown.filter((entry) => entry.area === area).map(isShort ? shortLine : longLine),
    ]),
    lineOf('-h, --help [all]', isShort ? `Print this; with \`all\` the whole list of ${entries.length} options.` : 'Print this.'),
    lineOf('-v, --version, --versions', 'Print the version; or those of Node.js and all packages too.'),
  ].join('\n')
}

const usage = (command: Command | undefined): string[] =>
  (Object.entries(USAGES) as [Command, readonly [string, string]][])
    .filter(([each]) => command === undefined || each === command)
    .map(([, [line, purpose]], index) => `${index === 0 ? 'Usage: ' : '       '}lms-graphql ${line.padEnd(19)} ${purpose}`)
    .concat('')
