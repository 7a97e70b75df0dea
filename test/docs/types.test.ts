import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../docs/.vitepress/pages.js'
import { FOLDERS, type Folder, isInstalled, packagesOf } from '../support/packages.js'
import { blocksOf } from './contract.js'
import { ALL_PAGES, type Block, placeOf } from './page.js'

// Every program of the documentation compiles with strict types, against the types that the package exports. The folder is below the
// package, so that `lms-graphql` is the package itself; each page has a folder of its own.

const PROJECT = `${ROOT}coverage/docs-types/`
/** `test/clients/components.test.ts` compiles these, with the types that are generated for them. */
const WITH_GENERATED_TYPES = 'test/docs/examples/clients/'
const isProgram = ({ language, directive: { file } }: Block): boolean =>
  /^[jt]sx?$/.test(language) && !file?.startsWith(WITH_GENERATED_TYPES)

/** The packages that only suites have, by the folder that has them. */
const FOLDER_OF = new Map<string, Folder>(FOLDERS.flatMap((folder) => packagesOf(folder).map((name) => [name, folder] as const)))

/** The packages that a program imports. */
const importsOf = ({ text }: Block): string[] =>
  [...text.matchAll(/ from '(@[^/']+\/[^/']+|[^/'@.][^/']*)/g)].map(([, name]) => name as string)

const PAGES = ALL_PAGES.map(({ path, blocks }) => ({
  path,
  blocks: blocksOf(blocks, 'types', 'file', 'by').filter(isProgram),
})).filter(({ blocks }) => blocks.length > 0)

/** The folders whose packages the programs of a page import, and which are not installed. In CI no suite starts without them. */
const missingFor = (blocks: readonly Block[]): Folder[] =>
  [...new Set(blocks.flatMap(importsOf).flatMap((name) => FOLDER_OF.get(name) ?? []))].filter((folder) => !isInstalled(folder))

/** The file of a block in the project: the name that other blocks of the page import, or its line. */
function fileOf({ page, line, language, directive: { file, name } }: Block): string {
  const own = name ?? (file === undefined ? `line-${line}` : (file.split('/').at(-1) as string))
  return join(page.replace(/\.md$/, ''), `${own.replace(/\.[jt]sx?$/, '')}.${language.endsWith('x') ? 'tsx' : 'ts'}`)
}

const CONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    moduleDetection: 'force',
    jsx: 'react-jsx',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['**/*.ts', '**/*.tsx'],
}

/** What programs for other runtimes use of them. Their tests run the programs. */
const RUNTIMES = `type Handler = (request: Request) => Response | Promise<Response>
declare const Bun: { serve(options: { hostname: string; port: number | string; fetch: Handler }): { port: number; stop(): Promise<void> } }
declare const Deno: {
  env: { get(name: string): string | undefined }
  serve(options: { hostname: string; port: number }, handler: Handler): { shutdown(): Promise<void> }
  addSignalListener(signal: string, listener: () => void): void
  exit(): never
}
`

/** Compiles all blocks, and returns what the compiler prints. */
function compile(blocks: readonly Block[], project: string): Promise<string> {
  rmSync(project, { recursive: true, force: true })
  for (const [name, folder] of FOLDER_OF) {
    if (!isInstalled(folder)) continue
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(`${ROOT}${folder}/node_modules/${name}`, link)
  }
  for (const block of blocks) {
    const file = join(project, fileOf(block))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, block.text)
  }
  writeFileSync(join(project, 'runtimes.d.ts'), `export {}\ndeclare global {\n${RUNTIMES.replaceAll('declare const', 'const')}}\n`)
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(CONFIG))
  return new Promise((resolve) =>
    execFile(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '-p', project, '--pretty', 'false'], { cwd: project }, (_, out) =>
      resolve(out),
    ),
  )
}

/** The complaints about a block, with the lines of its page. */
const complaintsAbout = (printed: string, block: Block): string[] =>
  printed
    .split('\n')
    .filter((line) => line.startsWith(`${fileOf(block)}(`))
    .map((line) => line.replace(/^[^(]*\((\d+),\d+\)/, (_, number) => `${block.page}:${block.line + Number(number) - 1}`))

let printed = ''
beforeAll(async () => {
  const programs = PAGES.filter(({ blocks }) => missingFor(blocks).length === 0)
  printed = await compile(
    programs.flatMap(({ blocks }) => blocks),
    PROJECT,
  )
})

it('the compiler complains about nothing but blocks', () => {
  const files = PAGES.flatMap(({ blocks }) => blocks).map(fileOf)
  const others = printed.split('\n').filter((line) => /error TS/.test(line) && !files.some((file) => line.startsWith(`${file}(`)))
  expect(others).toEqual([])
})

it('a block with a wrong type is reported with the line of its page', async () => {
  const wrong = {
    page: 'docs/wrong.md',
    line: 7,
    language: 'ts',
    text: "import { createGateway } from 'lms-graphql'\ncreateGateway({ site: { url: 1 } })\n",
    directive: {},
    section: 0,
  }
  const [complaint, ...others] = complaintsAbout(await compile([wrong], `${ROOT}coverage/docs-types-wrong/`), wrong)
  expect(complaint).toMatch(/^docs\/wrong\.md:8: error TS2322: /)
  expect(others).toEqual([])
})

for (const { path, blocks } of PAGES) {
  const missing = missingFor(blocks)
  describe.skipIf(missing.length > 0)(
    missing.length > 0 ? `${path} (skipped: run \`npm run packages ${missing.join(' ')}\`)` : path,
    () => {
      it.each(blocks.map((block) => [placeOf(block), block] as const))('%s compiles', (_, block) => {
        expect(complaintsAbout(printed, block)).toEqual([])
      })
    },
  )
}
