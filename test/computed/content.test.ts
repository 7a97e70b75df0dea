import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { AccessSchool, USERS, ZONE } from '../integration/access-school.js'
import { truthOf } from '../rules/oracle.js'
import { merged } from '../support/merged.js'
import { CANDID, World } from '../support/world.js'
import { AUDIENCE, ISSUER } from '../server/issuer.js'

const SECRET = 'a shared secret of more than 32 bytes'
const KEY = 'some-key-0123456789'

const tokenWith = async (claims: Record<string, unknown>): Promise<string> =>
  `Bearer ${await new SignJWT({ iss: ISSUER, aud: AUDIENCE, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRET))}`

const SERVICE = merged(CANDID, {
  site: { user: 'admin', password: 'admin-demo' },
  access: { apiKeys: [KEY], open: true, jwtKey: SECRET, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
  observe: { explainFor: ['everybody'] },
  limits: { maxCalls: 10_000, maxAliases: 100_000, maxTokens: 1_000_000 },
  tuning: { limits: { maxSelections: 100_000, maxErrors: 10_000 } },
})

const SITES = {
  lms: PRESETS.lms,
  learndash: { ...PRESETS.learndash, unusableColumns: ['Question.quizId'] },
  'learndash-5': { ...PRESETS.learndash, unusableColumns: ['Question.quizId'] },
} as const

describe.each(Object.keys(SITES) as (keyof typeof SITES)[])('content of lessons behind a service account, in front of %s', (profile) => {
  const folder = mkdtempSync(join(tmpdir(), 'content-'))
  let [school, world] = [undefined as unknown as AccessSchool, undefined as unknown as World]
  beforeAll(async () => {
    const data = join(folder, 'school.sqlite')
    const openProgression = profile === 'learndash-5' ? 'enforced' : 'ignored'
    school = await AccessSchool.make(data, { openProgression, sendsCourseDates: profile === 'learndash-5', releasesAtNoon: profile !== 'lms' })
    const db = new Database(data)
    db.exec(`UPDATE lessons SET content = '<p>qxtext' || id || '</p>', materials = 'qxmaterial' || id, video_url = 'qxvideo' || id`)
    db.close()
    world = await World.start(SERVICE, { profile, data }, { ...SITES[profile], timeZone: ZONE })
  })
  afterAll(async () => {
    await world.close()
    rmSync(folder, { recursive: true })
  })

  it('prints shares', async () => {
    for (const user of [...USERS, null]) {
      const headers = user === null ? {} : { authorization: await tokenWith({ sub: String(user) }) }
      const counts: Record<string, number> = {}
      for (const [index, { id, lessons, plan }] of school.courses.entries()) {
        const { data, errors, calls } = await world.query(`{ course(id: ${id}) { lessons(first: 100) { nodes { databaseId content materials videoUrl access(course: ${id}) { state unknowns { rule missing } } } } } }`, { headers })
        const bad = errors.filter((e) => e.extensions.code !== 'FORBIDDEN')
        if (bad.length) console.log(JSON.stringify(bad[0]))
        for (const node of data.course?.lessons?.nodes ?? []) {
          const { isAdmitted } = truthOf(school.world(index, node.databaseId, user ?? USERS[0]!), user === null ? 'VISITOR' : 'LEARNER')
          const shown = node.content !== null
          if (shown && !isAdmitted) console.log('LEAK', plan.what, node, user)
          const key = `${isAdmitted ? 'admitted' : 'refused'} ${shown ? 'shown' : 'hidden'} ${node.access?.state}`
          counts[key] = (counts[key] ?? 0) + 1
          if (isAdmitted && !shown) { const k = `  ${(node.access?.unknowns ?? []).map((u: any) => `${u.rule} ${u.missing}`).join()}`; counts[k] = (counts[k] ?? 0) + 1 }
        }
      }
      console.log(profile, user, JSON.stringify(counts, null, 1))
    }
    expect(lessonsOf).toBeDefined()
  })
})
const lessonsOf = 1
