import { afterEach, describe, expect, it } from 'vitest'
import { readOptions } from '../../src/options/read.js'
import { Command } from '../support/command.js'
import { credentials } from './world.js'

const running: Command[] = []
afterEach(async () => {
  for (const command of running.splice(0)) await command.stop('SIGKILL')
})

function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  const command = new Command(argv, env)
  running.push(command)
  return command
}

const complaintsOf = (argv: readonly string[], env: Record<string, string> = {}): readonly string[] => {
  const result = readOptions(argv, env)
  return result.kind === 'complaints' ? result.complaints : []
}

describe('flags of the embedded LMS', () => {
  it('are refused with all errors at once', () => {
    expect(complaintsOf(['lms', '--profile=moodle', '--switch=bomb,workers=many', '--switch', 'fatalhtml', '--control=1'])).toEqual([
      '`--profile` is `moodle`; it must be `lms`, `learndash` or `learndash-5`.',
      '`--switch`: There is no switch `bomb`. Did you mean bom?',
      expect.stringContaining('`--switch`: The switch `workers` is `many`; it must be a whole number'),
      '`--switch`: There is no switch `fatalhtml`. Did you mean fatalHtml?',
      '`--control` is `1`; it must be true or false.',
    ])
    expect(complaintsOf(['lms'], { LMS_SWITCHES: 'workers=2,' })).toEqual([
      expect.stringMatching(/^`LMS_SWITCHES`: There is no switch ``\. /),
    ])
    expect(complaintsOf(['schema', '--profile=lms'])).toEqual(['`--profile` is a flag of `serve` and `lms`, not of `schema`.'])
  })

  it('are refused in a settings file too', () => {
    const result = readOptions(['lms', '--config=lms.yaml'], {}, () => 'lms:\n  switches: [workers=2, bomb]\n  profile: learndash')
    expect(result).toMatchObject({
      complaints: [expect.stringMatching(/^`lms\.switches` \(lms\.yaml, line 2\): There is no switch `bomb`\. /)],
    })
  })
})

describe('lms-graphql lms', () => {
  it('starts with a profile, switches and the control route', async () => {
    const command = start([
      'lms',
      '--port=0',
      '--profile=learndash',
      '--switch=namespace=school,bom=next:1',
      '--switch',
      'adminOnly=off',
      '--control',
    ])
    const address = await command.address()
    const text = async (path: string): Promise<string> => Buffer.from(await (await fetch(address + path)).arrayBuffer()).toString()
    expect(await text('/school/v1/groups/1001?_fields=id')).toBe('\uFEFF{"id":1001}')
    expect(JSON.parse(await text('/-/switches'))).toMatchObject({
      profile: 'learndash',
      switches: { namespace: 'school', adminOnly: false },
    })
    expect((await command.stop()).stdout).toBe(
      `lms-graphql: the embedded LMS at ${address} (use it as --upstream), with the routes /school/v1 and /school/v2; switches at ${address}/-/switches\n`,
    )
  })

  it('has no control route without `--control`', async () => {
    const address = await start(['lms', '--port=0'], { LMS_PROFILE: 'learndash-5' }).address()
    expect((await fetch(`${address}/-/switches`)).status).toBe(404)
    expect((await fetch(`${address}/ldlms/v2/price-types`)).status).toBe(200)
  })
})

describe('lms-graphql serve', () => {
  it('uses the preset of the profile of its embedded LMS', async () => {
    const address = await start(['--port=0', '--profile=learndash', '--switch=workers=2']).address()
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials('admin') },
      body: JSON.stringify({ query: '{ course(id: 10009) { title lessons(first: 30) { totalCount nodes { title } } } }' }),
    })
    const { data, errors } = (await response.json()) as any
    expect(errors).toBeUndefined()
    expect([data.course.lessons.totalCount, data.course.lessons.nodes.length]).toEqual([110, 30])
  })
})
