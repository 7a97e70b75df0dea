import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readPage } from '../docs/page.js'
import { cleanEnv } from '../support/nodes.js'
import { packInto } from '../support/packed.js'

// The recipes of docs/front-ends/checks.md, as they are on the page, in a repository of a front end with the packed package.

const PAGE = 'docs/front-ends/checks.md'

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly uses?: string; readonly run?: string }[] }>>
}

/** A block of a page that starts with, or has, this text. */
function block(page: string, text: string): string {
  const found = readPage(page).blocks.filter((each) => each.text.includes(text))
  expect(found.length, `${page} has one block with ${text}`).toBe(1)
  return found[0]?.text as string
}

const WORKFLOW = block(PAGE, 'actions/checkout')
const HOOK = block(PAGE, 'git checkout-index')
const INSTALLING_THE_HOOK = block(PAGE, 'core.hooksPath')
const ANNOTATION = block(PAGE, '::error').trim()
const COURSES = block('docs/front-ends/operations.md', 'query CoursePage')
const CARD = block('docs/front-ends/operations.md', 'fragment CourseCard')

/** Why the recipes cannot run here. A gate must not leave them out. */
const MISSING = process.env.CI === 'true' || spawnSync('git', ['--version']).status === 0 ? undefined : 'git is not installed'
const titled = (title: string): string => (MISSING === undefined ? title : `${title}: ${MISSING}`)

const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-recipes-'))
const clone = join(folder, 'front-end')

/** Runs a step as the runners of GitHub do: by bash, which ends at the first command that fails. */
const run = (script: string): SpawnSyncReturns<string> =>
  spawnSync('bash', ['-e', '-c', script], {
    cwd: clone,
    encoding: 'utf8',
    timeout: 240_000,
    // Downloads of earlier installations are used again.
    env: { ...cleanEnv(), npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' },
  })

/** Runs commands that must work. */
function does(script: string): string {
  const { status, stdout, stderr } = run(script)
  expect({ script, status, printed: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({ script, status: 0, printed: '' })
  return stdout
}

function write(path: string, text: string): void {
  const file = join(clone, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Puts the files back to those of the last commit. */
const restore = (): string => does('git reset --quiet --hard')

/** The line of a text, from 1. */
const lineOf = (text: string, part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1

beforeAll(() => {
  if (MISSING !== undefined) return
  const packed = packInto(folder)
  mkdirSync(clone)
  copyFileSync(join(folder, packed.filename), join(clone, packed.filename))
  write('package.json', JSON.stringify({ name: 'front-end', private: true }))
  write('.gitignore', 'node_modules\n')
  write('operations/courses.graphql', COURSES)
  write('operations/parts/course-card.graphql', CARD)
  does(`npm install --save-dev ./${packed.filename}`)
  does('node_modules/.bin/lms-graphql schema > released.graphql')
  write('.github/workflows/operations.yml', WORKFLOW)
  does(`git init --quiet --initial-branch main
    git config user.name Ada
    git config user.email ada@example.org
    git add --all
    git commit --quiet --message 'Add the operations of the front end'`)
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(MISSING)(titled('the workflow for GitHub Actions'), () => {
  const { steps } = Object.values((parse(WORKFLOW) as Workflow).jobs)[0] as Workflow['jobs'][string]
  const commands = steps.flatMap(({ run: command }) => command ?? [])
  const check = commands.at(-1) as string

  // What `uses` names runs on GitHub only: here the clone is there, and Node is that of this machine.
  it('has steps of GitHub before its commands, which install the package and check the folder', () => {
    expect(steps.flatMap(({ uses }) => uses ?? [])).toEqual(['actions/checkout@v4', 'actions/setup-node@v4'])
    expect(commands).toEqual(['npm ci', expect.stringContaining('lms-graphql check operations')])
  })

  it('passes for a folder that fits the graph, and has no annotation', () => {
    for (const command of commands) does(command)
    expect(run(check).stdout).not.toMatch(/^::/m)
  })

  it('fails where the new graph lacks a field, and annotates each place of use', () => {
    // The graph of a former version, which had another field. The operations use it.
    const released = readFileSync(join(clone, 'released.graphql'), 'utf8')
    write('released.graphql', released.replace(/^type Course implements .*\{$/m, '$&\n  teaser: String'))
    const changed = CARD.replace('  title\n', '  title\n  teaser\n')
    write('operations/parts/course-card.graphql', changed)
    const { status, stdout } = run(check)
    restore()
    expect(status).toBe(1)
    const place = `file=operations/parts/course-card.graphql,line=${lineOf(changed, 'teaser')}`
    expect(ANNOTATION).toContain(`${place},`)
    expect(stdout.split('\n')).toContain(ANNOTATION)
  })

  it('fails for an operation that is not valid', () => {
    const changed = COURSES.replace('totalCount', 'totalCounts')
    write('operations/courses.graphql', changed)
    const { status, stdout } = run(check)
    restore()
    expect(status).toBe(1)
    const place = `file=operations/courses.graphql,line=${lineOf(changed, 'totalCounts')}`
    expect(stdout).toMatch(new RegExp(`^::error ${place}\\b.*::.*totalCounts.*totalCount`, 'm'))
  })
})

describe.skipIf(MISSING)(titled('the hook of Git'), () => {
  beforeAll(() => {
    write('.githooks/pre-commit', HOOK)
    does(INSTALLING_THE_HOOK)
    does("git add .githooks && git commit --quiet --message 'Check operations before a commit'")
  })

  const commits = (): number => Number(does('git rev-list --count HEAD'))

  it('lets a commit pass that fits the graph', () => {
    const before = commits()
    write('operations/courses.graphql', COURSES.replace('first: 3', 'first: 5'))
    does("git commit --quiet --all --message 'Show five lessons'")
    expect(commits()).toBe(before + 1)
  })

  it('refuses a commit that does not, with the place', () => {
    const before = commits()
    write('operations/courses.graphql', COURSES.replace('totalCount', 'totalCounts'))
    const { status, stdout, stderr } = run("git commit --quiet --all --message 'Break it'")
    restore()
    expect(status).toBe(1)
    expect(`${stdout}${stderr}`).toContain(`operations/courses.graphql:${lineOf(COURSES, 'totalCount')}:`)
    expect(commits()).toBe(before)
  })

  it('looks at what is committed, and not at other changes', () => {
    const before = commits()
    write('operations/courses.graphql', COURSES.replace('first: 3', 'first: 4'))
    does('git add operations')
    write('operations/courses.graphql', COURSES.replace('totalCount', 'totalCounts'))
    does("git commit --quiet --message 'Show four lessons'")
    expect(commits()).toBe(before + 1)
    write('operations/courses.graphql', COURSES.replace('totalCount', 'totalCounts'))
    does('git add operations')
    write('operations/courses.graphql', COURSES)
    expect(run("git commit --quiet --message 'Break it'").status).toBe(1)
    restore()
  })

  it('does not run where no operation is changed', () => {
    write('README.md', '# Front end\n')
    does('mv node_modules elsewhere')
    does("git add README.md && git commit --quiet --message 'Add a README'")
    does('mv elsewhere node_modules')
  })
})
