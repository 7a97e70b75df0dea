import { rmSync } from 'node:fs'
import { SCHOOL, seedSchool } from './seed.js'
import { Store } from './store.js'

// Run by the build: creates the file from which new data is copied.
for (const suffix of ['', '-wal', '-shm']) rmSync(SCHOOL + suffix, { force: true })
const store = new Store(SCHOOL, (empty) => seedSchool(empty, 1))
store.seal()
store.close()
