import { rmSync } from 'node:fs'
import { SCHOOL } from './school.js'
import { seedSchool } from './seed.js'
import { Store } from './store.js'

// Run by the build: makes the file that an LMS is started from.
for (const suffix of ['', '-wal', '-shm']) rmSync(SCHOOL + suffix, { force: true })
const store = new Store(SCHOOL, (empty) => seedSchool(empty, 1))
store.seal()
store.close()
