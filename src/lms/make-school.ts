import { renameSync, rmSync } from 'node:fs'
import { SCHOOL, seedSchool } from './seed.js'
import { Store } from './store.js'

// Run by the build: creates the file from which new data is copied. It is renamed when it is complete, because a running LMS may read it.
const file = `${SCHOOL}.new`
for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
const store = new Store(file, (empty) => seedSchool(empty, 1))
store.seal()
store.close()
renameSync(file, SCHOOL)
