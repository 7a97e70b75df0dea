import { DOCTOR_FLAGS } from './doctor-flags.js'
import { COMMANDS, type Command, flagText, type Setting } from './setting.js'
import { SETTINGS } from './settings.js'

const USAGES: Readonly<Record<Command, readonly [line: string, purpose: string]>> = {
  serve: ['[serve] [flags]', 'the gateway; without --upstream in front of the embedded LMS'],
  lms: ['lms [flags]', 'the embedded LMS alone'],
  schema: [
    'schema [flags]',
    'print the graph as SDL; with --subgraph for routers, with --semantic-nullability for clients that handle errors',
  ],
  supergraph: ['supergraph [flags]', 'print a supergraph of the gateway alone, for routers; --url is its address'],
  doctor: ['doctor [flags]', 'examine the site of --upstream'],
}

const lineOf = (left: string, rest: string): string => `${`  ${left}`.padEnd(31)} ${rest}`

/** The line of a setting. `isWhole` is for the help of all commands. */
function settingLine({ flag, value, env, otherwise, description, commands }: Setting, isWhole: boolean): string {
  const where = !isWhole || commands.length === COMMANDS.length ? '' : `[${commands.join(', ')}] `
  const source = flag === undefined ? 'environment only' : env
  return lineOf(flag === undefined ? env : flagText(flag, value), `${description} ${where}(${source}; default: ${otherwise})`)
}

/** What `--help` prints: for one command, or for all. */
export function helpText(command?: Command): string {
  const commands = command === undefined ? COMMANDS : [command]
  const isWhole = command === undefined
  const settings = (Object.values(SETTINGS) as Setting[]).filter((setting) => isWhole || setting.commands.includes(command))
  const doctor = commands.includes('doctor') ? Object.entries(DOCTOR_FLAGS) : []
  return [
    ...commands.map((each, index) => {
      const [line, purpose] = USAGES[each]
      return `${index === 0 ? 'Usage: ' : '       '}lms-graphql ${line.padEnd(18)} ${purpose}`
    }),
    '',
    ...settings.map((setting) => settingLine(setting, isWhole)),
    ...doctor.map(([name, { value, description }]) => lineOf(flagText(name, value), `${description}${isWhole ? ' [doctor]' : ''}`)),
    lineOf('-h, --help', isWhole ? 'Print this; after a command, only its flags.' : 'Print this; without a command, all flags.'),
    lineOf('-v, --version', 'Print the version.'),
    '',
    '[BOOLEAN] is true or false. A flag with it alone means true.',
  ].join('\n')
}
