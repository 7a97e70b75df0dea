import { STATES } from '../../../src/doctor/finding.js'
import { allowedAs } from '../../../src/options/complaints.js'
import { defaultText, flagText, TITLES } from '../../../src/options/help.js'
import { COMMANDS, type Command } from '../../../src/options/option.js'
import { ARGUMENT_ENTRIES, type Area, ENTRIES, type Entry, OPTIONS, SETTINGS_FILE } from '../../../src/options/table.js'
import { code, codes, GENERATED, page } from './text.js'

/** What the options of each area are for. */
const INTRODUCTIONS: Readonly<Record<Area, string>> = {
  site: 'The address of the site, the account for it, and its names and behaviour. Each of the options below `preset` overrides the preset; a list replaces that of the preset. Routes are written as in the specification, whatever the site calls them: `v1` or `v2` first, `:id` for an id. [The doctor](../wordpress.md) measures these options.',
  network:
    'Proxies between the gateway and the servers that it calls, the authorities that it trusts, and its certificate for the site. [Networks](../networks.md) describes them.',
  access:
    'Who may use the gateway. Secrets have no flag, because lists of processes show command lines. Each secret can be in a file instead.',
  protection:
    'Queue, retries and circuit breaker, for each process. [Protection of the site](../protection.md) describes how they work together.',
  limits:
    'Sizes of operations, requests and responses. A request above a limit is answered with [`LIMIT_EXCEEDED`](./errors.md#limit_exceeded) and the name of the limit, and a body that is too large with 413.',
  cache: 'Answers of the site that are kept. [The cache](../cache.md) describes when they are used.',
  redis: 'What several gateways share. [More than one machine](../replicas.md) describes it.',
  hooks:
    'Calls of the site that tell the gateway of changes, and calls of the gateway to other caches. [Purging other caches](../purging.md) describes the latter.',
  http: 'The socket, and what clients may see and run. [Security](../security.md) describes how to expose the gateway.',
  observe: 'Log, metrics and explanations. [Observing](../observing.md) describes them.',
  subgraph: 'The subgraph for larger graphs. [Federation](../federation.md) describes it.',
  lms: 'The embedded LMS, which the command starts when no site is configured.',
}

/** What each command does. */
const PURPOSES: Readonly<Record<Command, string>> = {
  serve: 'Starts the gateway. Without `--upstream` it starts an embedded LMS too. This is the default command.',
  lms: 'Starts the embedded LMS alone.',
  schema:
    'Prints the graph as SDL. With `--subgraph` it prints the subgraph for routers, with `--semantic-nullability` the graph for clients that handle errors.',
  supergraph: 'Prints a supergraph of this graph alone, with the address of `--url` for routers.',
  doctor: 'Examines the site of `--upstream`, and writes the settings that it needs.',
  config: 'Prints the options of `serve` with their values, without secrets, and where each value comes from.',
  check:
    'Checks a folder of operations: their validity, what they cost, and with `--against` what a new graph breaks. Exit code 1 on an error. The folder is that of the settings by default.',
  usage: 'Prints which operations of a folder, and hence which fields, a log on standard input says were used.',
}

const STATE_MEANINGS: Readonly<Record<(typeof STATES)[number], string>> = {
  ok: 'Nothing to do.',
  note: 'For information: it depends on rights or settings of the site, or the preset expects it.',
  warning: 'Responses have less data or cost more calls, or a setting is needed. The written settings have it.',
  breaks: 'Some queries fail on this site. The command ends with exit code 1.',
}

/** The heading of an option: its flag, its variable written as a flag, or its path. */
const headingOf = ({ flag, env, path }: Entry): string => flag ?? env?.toLowerCase().replaceAll('_', '-') ?? path

function entry(option: Entry): string {
  const { flag, env, area, path, description, commands, inFile, anyCase, only, needsRestart } = option
  const names = [
    ...(flag === undefined ? [] : [`flag ${code(flagText(option))}`]),
    ...(env === undefined ? [] : [`variable ${code(env)}${anyCase ? ` or ${code(env.toLowerCase())}` : ''}`]),
    ...(area === undefined ? [] : [`${only === 'program' ? 'in programs' : 'key'} ${code(path)}`]),
  ].join(', ')
  return page(
    `### ${headingOf(option)}`,
    description,
    [
      `- ${names[0]?.toUpperCase()}${names.slice(1)}`,
      ...(inFile
        ? [`- In a file: flag ${code(`--${headingOf(option)}-file FILE`)}, variable ${code(`${env}_FILE`)}, key ${code(`${path}File`)}`]
        : []),
      `- Default: ${defaultText(option)}`,
      `- Allowed: ${allowedAs('text', option)}`,
      ...(commands.length === 0 ? [] : [`- Commands: ${codes(commands)}`]),
      ...(needsRestart ? ['- A change needs a restart'] : []),
    ].join('\n'),
  ).trim()
}

const argumentsOf = (command: Command): readonly Entry[] => ARGUMENT_ENTRIES.filter(({ commands }) => commands.includes(command))

/** The page of all options. */
export const settingsPage = (): string =>
  page(
    GENERATED,
    '# Settings',
    'Every command and every option: its flag, its environment variable, its key in a settings file and in programs, its default and its values.',
    'A flag takes precedence over the environment variable, and the variable over the settings file. All complaints are printed at once, with exit code 2.',
    'A flag with the value `[BOOLEAN]` or `[VALUE]` alone means true: `--open` is the same as `--open true` and `--open=true`. `--open false` and `--open=false` mean false.',
    '## Commands',
    COMMANDS.map((command) => `- ${code(`lms-graphql ${command}`)}: ${PURPOSES[command]}`).join('\n'),
    '`lms-graphql --help` lists the options with which people begin, `lms-graphql --help all` all of them, and `lms-graphql --version` prints the version. `lms-graphql --versions` also prints the versions of Node.js, OpenSSL and all packages with which it runs.',
    COMMANDS.flatMap((command) => {
      const entries = argumentsOf(command)
      if (entries.length === 0) return []
      const lines = entries.map((each) => `- ${code(flagText(each))}: ${each.description} Allowed: ${each.allowed}.`)
      return [`Arguments of ${code(command)}:`, lines.join('\n')]
    }),
    '## The settings file',
    'The flag `--config` names a file: JSON when its name ends in `.json`, else YAML. It has an object for each area, with the names after "key" below:',
    '<!-- test: settings -->\n```yaml\nsite:\n  url: https://example.org/wp-json\n  preset: learndash\nlimits:\n  maxCalls: 100\n```',
    'Programs give the same object to `createGateway` and `startGateway`. Values of the file may also be texts in the form of flags, such as `a,b` for a list. Names of files are relative to the folder of the settings file. Aliases and tags are not allowed, and 1 MB is the largest size.',
    'The file may hold secrets: allow only the gateway to read it.',
    entry(SETTINGS_FILE),
    (Object.keys(OPTIONS) as Area[]).map((area) =>
      page(
        `## ${TITLES[area]}`,
        INTRODUCTIONS[area],
        ENTRIES.filter((each) => each.area === area && each.fills === undefined).map(entry),
      ).trim(),
    ),
    '## The doctor',
    'Each finding has a state:',
    STATES.map((state) => `- ${code(state)}: ${STATE_MEANINGS[state]}`).join('\n'),
    'Exit codes: 0, or 1 when a finding breaks the graph, or 2 when the command line is wrong, or 3 when the rights of the account do not suffice to examine the whole site.',
  )
