import { STATES } from '../../../src/doctor/finding.js'
import { ACCESS } from '../../../src/settings/access.js'
import { CACHING } from '../../../src/settings/cache.js'
import { DOCTOR_FLAGS } from '../../../src/settings/doctor-flags.js'
import { EXPOSURE } from '../../../src/settings/exposure.js'
import { GENERAL } from '../../../src/settings/general.js'
import { HOOKS } from '../../../src/settings/hooks.js'
import { BOUNDS } from '../../../src/settings/limits.js'
import { LOGGING } from '../../../src/settings/logging.js'
import { NAMES } from '../../../src/settings/names.js'
import { PROTECTING, PROXIES } from '../../../src/settings/protection.js'
import { SHARING } from '../../../src/settings/redis.js'
import { COMMANDS, type Command, flagText, type Setting } from '../../../src/settings/setting.js'
import { SETTINGS } from '../../../src/settings/settings.js'
import { code, codes, GENERATED, page } from './text.js'

/** Settings with a common purpose, in the order of the page. */
interface Group {
  readonly title: string
  readonly introduction: string
  readonly settings: Readonly<Record<string, Setting>>
}

const GROUPS: readonly Group[] = [
  { title: 'General', introduction: 'The site, the socket and the embedded LMS.', settings: GENERAL },
  {
    title: 'The site',
    introduction:
      'Names and behaviour of the site. Each setting overrides the preset; `none` means that the site has no such thing. Routes are written as in the specification, whatever the site calls them: `v1` or `v2` first, `:id` for an id. [The doctor](../wordpress.md) measures these settings.',
    settings: NAMES,
  },
  {
    title: 'Access',
    introduction:
      'Whose credentials are sent to the site, and who may use the gateway. Secrets have no flag, because lists of processes show command lines. Each secret can be in a file instead.',
    settings: ACCESS,
  },
  {
    title: 'Webhooks',
    introduction:
      'Calls of the site that tell the gateway of changes, and calls of the gateway to other caches. [Purging other caches](../purging.md) describes the latter.',
    settings: HOOKS,
  },
  {
    title: 'Protection of the site',
    introduction:
      'Queue, retries, circuit breaker and old answers. [Protection of the site](../protection.md) describes how they work together.',
    settings: { ...PROTECTING, ...PROXIES },
  },
  {
    title: 'Cache',
    introduction: 'Answers of the site that are kept. [The cache](../cache.md) describes when they are used.',
    settings: CACHING,
  },
  {
    title: 'Redis',
    introduction: 'What several gateways share. [More than one machine](../replicas.md) describes it.',
    settings: SHARING,
  },
  {
    title: 'Strangers',
    introduction: 'What unknown callers may see and run. [Security](../security.md) describes how to expose the gateway.',
    settings: EXPOSURE,
  },
  {
    title: 'Limits',
    introduction:
      'Sizes of requests and responses, and times for clients. A request above a limit is answered with [`LIMIT_EXCEEDED`](./errors.md#limit_exceeded) and the name of the limit, a body that is too large with 413, and a request that takes too long with 408.',
    settings: BOUNDS,
  },
  { title: 'Log', introduction: 'What the gateway logs. [Observing](../observing.md) describes the lines.', settings: LOGGING },
]

/** What each command does. */
const PURPOSES: Readonly<Record<Command, string>> = {
  serve: 'Starts the gateway. Without `--upstream` it starts an embedded LMS too. This is the default command.',
  lms: 'Starts the embedded LMS alone.',
  schema:
    'Prints the graph as SDL. With `--subgraph` it prints the subgraph for routers, with `--semantic-nullability` the graph for clients that handle errors.',
  supergraph: 'Prints a supergraph of this graph alone, with the address of `--url` for routers.',
  doctor: 'Examines the site of `--upstream`, and writes the settings that it needs.',
}

const STATE_MEANINGS: Readonly<Record<(typeof STATES)[number], string>> = {
  ok: 'Nothing to do.',
  note: 'For information: it depends on rights or settings of the site, or the preset expects it.',
  warning: 'Responses have less data or cost more calls, or a setting is needed. The written settings have it.',
  breaks: 'Some queries fail on this site. The command ends with exit code 1.',
}

/** The heading of a setting: its flag, or its variable written as a flag. */
const headingOf = ({ flag, env }: Setting): string => flag ?? env.toLowerCase().replaceAll('_', '-')

function entry(name: string, setting: Setting): string {
  const { flag, env, value, otherwise, allowed, description, commands, fills } = setting
  // A settings file cannot name another one.
  const key = name === 'configFile' ? '' : `key ${code(name)}`
  const names = [flag === undefined ? '' : `flag ${code(flagText(flag, value))}`, `variable ${code(env)}`, key]
  const sentence = names.filter((each) => each !== '').join(', ')
  return page(
    `### ${headingOf(setting)}`,
    description,
    [
      `- ${sentence[0]?.toUpperCase()}${sentence.slice(1)}`,
      `- Default: ${otherwise}`,
      `- Allowed: ${allowed}${fills === undefined ? '' : `; it has the value of ${code(SETTINGS[fills as keyof typeof SETTINGS].env)}`}`,
      `- Commands: ${codes(commands)}`,
    ].join('\n'),
  ).trim()
}

/** The page of all settings. Throws when a setting is in no group, or in two. */
export function settingsPage(): string {
  const grouped = GROUPS.flatMap(({ settings }) => Object.keys(settings))
  if (grouped.join() !== Object.keys(SETTINGS).join()) throw new Error('The groups of the page are not those of the settings.')
  return page(
    GENERATED,
    '# Settings',
    'Every command and every setting: its flag, its environment variable, its key in a settings file, its default and its values.',
    'A flag takes precedence over the environment variable, and the variable over the settings file. All complaints about settings are printed at once, with exit code 2.',
    'A flag with the value `[BOOLEAN]` alone means true: `--open` is the same as `--open true` and `--open=true`. `--open false` and `--open=false` mean false.',
    '## Commands',
    COMMANDS.map((command) => `- ${code(`lms-graphql ${command}`)}: ${PURPOSES[command]}`).join('\n'),
    '`lms-graphql --help` lists all flags, and `lms-graphql --version` prints the version.',
    '## The settings file',
    'The flag `--config` names a file: JSON when its name ends in `.json`, else YAML. Its keys are the names after "key" below. Its values are those of the flags; lists may be lists. Names of files are relative to the folder of the settings file. Nested objects, aliases and tags are not allowed, and 1 MB is the largest size.',
    'The file may hold secrets: allow only the gateway to read it.',
    GROUPS.map(({ title, introduction, settings }) =>
      page(
        `## ${title}`,
        introduction,
        Object.entries(settings).map(([name, setting]) => entry(name, setting)),
      ).trim(),
    ),
    '## The doctor',
    'Flags of `lms-graphql doctor`, in addition to the settings above with the command `doctor`:',
    Object.entries(DOCTOR_FLAGS)
      .map(([name, { value, description }]) => `- ${code(flagText(name, value))}: ${description}`)
      .join('\n'),
    'Each finding has a state:',
    STATES.map((state) => `- ${code(state)}: ${STATE_MEANINGS[state]}`).join('\n'),
    'Exit codes: 0, or 1 when a finding breaks the graph, or 2 when the command line is wrong.',
  )
}
