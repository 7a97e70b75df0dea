import { Agent } from 'undici'
import { basic } from '../../src/upstream/credentials.js'
import type { Random } from '../support/random.js'
import type { VersionedSite } from './versioned-site.js'

export interface MixOptions {
  readonly operations: number
  /** Operations at a time. */
  readonly lanes: number
  /** Share of writes. */
  readonly writes: number
  /** Share of reads with credentials. */
  readonly signedIn: number
  /** Whether all writes change the title of a course. */
  readonly onlyTitles?: boolean
}

/** What the operations of a run met. */
export interface Seen {
  reads: number
  writes: number
  /** Writes that were refused, with their codes. */
  readonly refused: Record<string, number>
  /** Reads that failed. */
  readonly failed: string[]
  /** Records that were older than a write that was acknowledged before the read started. */
  readonly stale: string[]
  /** Records under another id, or for another caller. */
  readonly foreign: string[]
  /** Records whose version was compared, and those that had been written before. */
  compared: number
  written: number
}

const TITLE = /^course (\d+) v(\d+) for (\w+)$/
const LESSON = /^lesson (\d+) of (\d+) for (\w+)$/
const CALLERS = ['admin', 'leader', 'learner'] as const

/**
 * Reads and writes through several gateways at random. It knows which writes were acknowledged when each read started, and compares all records
 * that it receives.
 */
export class MixedLoad {
  readonly seen: Seen = { reads: 0, writes: 0, refused: {}, failed: [], stale: [], foreign: [], compared: 0, written: 0 }
  private readonly agent = new Agent({ connections: 64 })
  /** Last acknowledged versions of courses, numbers of lessons of courses, and numbers of courses of groups. */
  private readonly versions: Int32Array
  private readonly lessons: Int32Array
  private readonly members: Int32Array
  private readonly locked = new Set<string>()
  private version = 0
  private done = 0

  constructor(
    private readonly site: VersionedSite,
    private readonly urls: readonly string[],
    private readonly random: Random,
  ) {
    this.versions = new Int32Array(site.courses + 1)
    this.lessons = new Int32Array(site.courses + 1)
    this.members = new Int32Array(site.groups + 1).fill(1)
  }

  /** Number of operations so far. */
  get progress(): number {
    return this.done
  }

  async run({ operations, lanes, writes, signedIn, onlyTitles = false }: MixOptions): Promise<Seen> {
    const last = this.done + operations
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (this.done < last) {
          this.done++
          if (this.random.chance(writes)) await this.write(onlyTitles ? 0 : this.random.int(0, 9))
          else await this.read(this.random.chance(signedIn) ? this.random.pick(CALLERS) : undefined)
        }
      }),
    )
    return this.seen
  }

  async close(): Promise<void> {
    await this.agent.close()
  }

  private id(most: number): number {
    // Half of all operations are for a few records.
    return 1 + this.random.int(0, (this.random.chance(0.5) ? Math.min(most, 2) : most) - 1)
  }

  private async read(caller: (typeof CALLERS)[number] | undefined): Promise<void> {
    this.seen.reads++
    const { versions, lessons, members } = { versions: this.versions.slice(), lessons: this.lessons.slice(), members: this.members.slice() }
    const id = this.id(this.site.courses)
    const group = this.id(this.site.groups)
    const who = caller ?? 'anonymous'
    const fail = (text: string): void => void this.seen.failed.push(text)
    // The list of all courses is read most often, as the same operation of many callers is.
    const kind = this.random.chance(0.5) ? 1 : this.random.int(0, 4)
    const [query, check] = (
      [
        [`{ course(id: ${id}) { databaseId title } }`, (data: any) => this.compare([data.course], versions, who)],
        [
          `{ courses(first: 30) { nodes { databaseId title } } }`,
          (data: any) => {
            if (data.courses.nodes.length < Math.min(30, this.site.courses)) this.seen.stale.push('courses are missing')
            this.compare(data.courses.nodes, versions, who)
          },
        ],
        [
          `{ nodes(ids: ["${[id, (id % this.site.courses) + 1].map((each) => Buffer.from(`Course:${each}`).toString('base64')).join('", "')}"]) { ... on Course { databaseId title } } }`,
          (data: any) => this.compare(data.nodes, versions, who),
        ],
        [
          `{ group(id: ${group}) { title courses(first: 50) { nodes { databaseId title } } } }`,
          (data: any) => {
            const { nodes } = data.group.courses
            if (data.group.title !== `group ${group} for ${who}`) this.seen.foreign.push(data.group.title)
            if (nodes.length < (members[group] as number))
              this.seen.stale.push(`group ${group} has ${nodes.length} of ${members[group]} courses`)
            this.compare(nodes, versions, who)
          },
        ],
        [
          `{ course(id: ${id}) { databaseId title lessons(first: 100) { nodes { databaseId title } } } }`,
          (data: any) => {
            const { nodes } = data.course.lessons
            this.compare([data.course], versions, who)
            if (nodes.length < Math.min(100, lessons[id] as number))
              this.seen.stale.push(`course ${id} has ${nodes.length} of ${lessons[id]} lessons`)
            for (const { databaseId, title } of nodes) {
              const [, own, of, whose] = LESSON.exec(title) ?? []
              if (own !== String(databaseId) || of !== String(id) || whose !== who) this.seen.foreign.push(title)
            }
          },
        ],
      ] as const
    )[kind] as readonly [string, (data: any) => void]
    const { data, errors } = await this.ask(query, caller)
    if (errors || !data) fail(JSON.stringify(errors ?? data).slice(0, 300))
    else check(data)
  }

  private compare(records: readonly any[], versions: Int32Array, who: string): void {
    for (const record of records) {
      const [, id, version, whose] = TITLE.exec(record?.title ?? '') ?? []
      if (id !== String(record?.databaseId) || whose !== who) this.seen.foreign.push(JSON.stringify(record))
      const known = versions[record.databaseId] as number
      this.seen.compared++
      if (known > 0) this.seen.written++
      if (Number(version) < known) this.seen.stale.push(`course ${id} has version ${version}, but ${known} was acknowledged`)
    }
  }

  private async write(kind: number): Promise<void> {
    let id = this.id(this.site.courses)
    for (let tries = 0; kind < 8 && this.locked.has(`course ${id}`) && tries < 10; tries++) id = this.random.int(1, this.site.courses)
    const group = this.id(this.site.groups)
    // One write of a record at a time, because the order of two is that of the site.
    const lock = kind < 8 ? `course ${id}` : kind < 9 ? `lessons ${id}` : `group ${group}`
    if (this.locked.has(lock)) return
    this.locked.add(lock)
    this.seen.writes++
    const version = ++this.version
    const members = this.members[group] as number
    const member = ((group - 1 + members) % this.site.courses) + 1
    const errors = '... on LmsError { code message }'
    const mutation =
      kind < 8
        ? `mutation { result: updateCourse(input: { id: ${id}, title: "v${version}" }) { __typename ... on UpdateCourseSuccess { course { databaseId title } } ${errors} } }`
        : kind < 9
          ? `mutation { result: createLesson(input: { courseId: ${id}, title: "x" }) { __typename ... on CreateLessonSuccess { lesson { databaseId } } ${errors} } }`
          : `mutation { result: addCoursesToGroup(input: { id: ${group}, courseIds: [${member}] }) { __typename ... on AddCoursesToGroupSuccess { additions { courseId } } ${errors} } }`
    const { data, errors: faults } = await this.ask(mutation, 'admin')
    this.locked.delete(lock)
    const result = data?.result
    if (!result?.__typename.endsWith('Success')) {
      const code = String(result?.code ?? faults?.[0]?.extensions?.code ?? 'none')
      this.seen.refused[code] = (this.seen.refused[code] ?? 0) + 1
      return
    }
    if (kind < 8) {
      this.versions[id] = version
      if (result.course.title !== `course ${id} v${version} for admin`) this.seen.stale.push(`own write: ${result.course.title}`)
    } else if (kind < 9) this.lessons[id]!++
    else this.members[group] = Math.min(members + 1, this.site.courses)
  }

  private async ask(query: string, caller: string | undefined): Promise<any> {
    const headers = {
      'content-type': 'application/json',
      ...(caller !== undefined && { authorization: basic(caller, 'x') }),
    }
    const origin = this.random.pick(this.urls)
    try {
      const { body } = await this.agent.request({ origin, path: '/graphql', method: 'POST', headers, body: JSON.stringify({ query }) })
      return await body.json()
    } catch (error) {
      return { errors: [{ message: String(error), extensions: { code: 'NO_ANSWER' } }] }
    }
  }
}
