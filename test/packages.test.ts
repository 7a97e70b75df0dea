import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { FOLDERS, isInstalled } from './support/packages.js'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string): any => JSON.parse(readFileSync(`${ROOT}${path}`, 'utf8'))

it('every folder with packages of its own is in the list', () => {
  const folders = ['docs', ...readdirSync(`${ROOT}test`).map((name) => `test/${name}`)]
  expect(FOLDERS).toEqual(folders.filter((folder) => existsSync(`${ROOT}${folder}/package.json`)).sort())
})

it.each(FOLDERS)('the lock file of %s is up to date, and the versions are exact', (folder) => {
  const { dependencies, optionalDependencies } = read(`${folder}/package.json`)
  expect(read(`${folder}/package-lock.json`).packages['']).toMatchObject({ dependencies })
  const versions = Object.values({ ...dependencies, ...optionalDependencies })
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$|^file:/.test(version as string))).toEqual([])
})

it('no package is a development dependency of the repository and of a folder', () => {
  const own = Object.keys(read('package.json').devDependencies)
  const theirs = FOLDERS.flatMap((folder) => Object.keys(read(`${folder}/package.json`).dependencies))
  expect(own.filter((name) => name !== 'graphql' && theirs.includes(name))).toEqual([])
})

// Their programs import packages that only they have, so the `tsconfig.json` of the repository leaves them out.
for (const folder of FOLDERS.filter((each) => existsSync(`${ROOT}${each}/tsconfig.json`)))
  it.skipIf(!isInstalled(folder))(`${folder} compiles strictly`, { timeout: 300_000 }, () => {
    const tsc = [`${ROOT}node_modules/typescript/bin/tsc`, '-p', folder, '--pretty', 'false']
    expect(spawnSync(process.execPath, tsc, { cwd: ROOT, encoding: 'utf8' }).stdout).toBe('')
  })
