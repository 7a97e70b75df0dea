import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { SCHOOL } from './school.js'
import { seedSchool } from './seed.js'
import { Store } from './store.js'

// Run by the build: creates the file from which new data is copied. It is renamed when it is complete, because an LMS that starts may read it.
const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-'))
const file = join(folder, 'school.sqlite')
const store = new Store(file, (empty) => seedSchool(empty, 1))
store.seal()
store.close()
writeFileSync(`${SCHOOL}.new`, gzipSync(readFileSync(file), { level: 9 }))
renameSync(`${SCHOOL}.new`, SCHOOL)
rmSync(folder, { recursive: true })
