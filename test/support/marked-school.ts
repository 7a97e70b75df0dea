import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { type LmsOptions, startLms } from '../../src/lms/index.js'
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.js'
import { authorizationOf } from './world.js'

/** Types with a publication status, their root fields, and their paths on the site. */
export const POSTS = [
  { type: 'Group', one: 'group', many: 'groups', path: 'v1/groups' },
  { type: 'Course', one: 'course', many: 'courses', path: 'v1/sfwd-courses' },
  { type: 'Lesson', one: 'lesson', many: 'lessons', path: 'v2/sfwd-lessons' },
  { type: 'Quiz', one: 'quiz', many: 'quizzes', path: 'v1/sfwd-quiz' },
] as const
export type PostType = (typeof POSTS)[number]['type']

/** The records of one type: a published one, a published one with a password, and one of each other status. */
export interface MarkedRecords {
  readonly open: number
  readonly locked: number
  readonly hidden: Readonly<Record<string, number>>
}

/** The learner whose token is used; a demo user. */
export const LEARNER = 3
export const QUESTION = 500_001
/** A published course of the sample school. */
const PUBLISHED_COURSE = 10_001
/** What an answer of the question is worth, unique in the school. */
const WORTH = 73_410_017

const HIDDEN = ['draft', 'pending', 'private', 'future', 'trash'] as const

/**
 * A school with a unique mark in each value that only administrators may see. Texts with a mark have the form `qx…`: unpublished records
 * have it in all their texts, published ones in their raw texts, and questions in their answers.
 */
export class MarkedSchool {
  readonly records = {} as Record<PostType, MarkedRecords>

  private constructor(
    readonly proxy: RecordingProxy,
    private readonly lms: { readonly url: string },
    private readonly namespace: string,
    readonly close: () => Promise<void>,
  ) {}

  /** `rewritten` returns the path that the site is asked instead of the given one. */
  static async start(options: LmsOptions, rewritten?: (path: string) => string): Promise<MarkedSchool> {
    const folder = mkdtempSync(join(tmpdir(), 'marked-school-'))
    const data = join(folder, 'school.sqlite')
    await (await startLms({ data })).close()
    const answer = {
      _html: false,
      _sortString: 'qxcriterion',
      _sortStringHtml: false,
      _graded: false,
      _gradingProgression: '',
      _gradedType: null,
    }
    const answers = JSON.stringify([{ ...answer, _answer: 'qxanswer', _points: WORTH, _correct: true }])
    const db = new Database(data)
    db.prepare('UPDATE questions SET title = ?, hint = ?, correct_message = ?, answers = ? WHERE id = ?').run(
      'qxquestion',
      '<p>qxhint</p>',
      '<p>qxright</p>',
      answers,
      QUESTION,
    )
    db.close()
    const lms = await startLms({ data, ...options })
    const proxy = await startRecordingProxy(new URL(lms.url).origin, rewritten)
    const school = new MarkedSchool(proxy, lms, options.profile === undefined ? 'lms' : 'ldlms', async () => {
      await proxy.close()
      await lms.close()
      rmSync(folder, { recursive: true })
    })
    for (const { type, path } of POSTS) school.records[type] = await school.#fill(type.toLowerCase(), path)
    await school.#relate()
    const { hidden } = school.records.Course
    const late = new Database(data)
    late
      .prepare("INSERT INTO progress (user, course, status, steps_completed, steps_total) VALUES (?, ?, 'IN_PROGRESS', 1, 2)")
      .run(LEARNER, hidden.draft as number)
    late.close()
    return school
  }

  /** The marks in a text of JSON. Quotes are part of some: rendered titles have typographic ones. */
  static marksIn(text: string): string[] {
    return [...new Set(text.match(/\\"qx[a-z0-9]+\\"|(?<![“;\w-])qx[a-z0-9]+|open-qx[a-z0-9]+|%postname%|73410017/g) ?? [])]
  }

  /** Marks that an administrator sees. */
  get marks(): string[] {
    const ofType = ({ type }: (typeof POSTS)[number]): string[] => {
      const name = type.toLowerCase()
      const raw = [`\\"qxraw${name}\\"`, `open-qxraw${name}`, `qxblock${name}`, `qxpass${name}`, `qxlocked${name}`]
      return [...raw, ...HIDDEN.map((status) => `qx${name}${status}`)]
    }
    return [...POSTS.flatMap(ofType), '%postname%', 'qxquestion', 'qxhint', 'qxright', 'qxanswer', 'qxcriterion', String(WORTH)].sort()
  }

  /** The address of the site, through the proxy. */
  get url(): string {
    return this.proxy.url + new URL(this.lms.url).pathname
  }

  async #fill(name: string, path: string): Promise<MarkedRecords> {
    const open = await this.write(path, {
      status: 'publish',
      slug: `open-${name}`,
      title: `Open "qxraw${name}"`,
      content: `<!-- wp:qxblock${name} -->\n<p>Shown</p>`,
    })
    const locked = await this.write(path, {
      status: 'publish',
      slug: `locked-${name}`,
      title: `Locked ${name}`,
      content: `<p>qxlocked${name}</p>`,
      password: `qxpass${name}`,
    })
    const hidden: Record<string, number> = {}
    for (const status of HIDDEN) {
      const mark = `qx${name}${status}`
      const date = status === 'future' ? { date: '2099-01-01T08:00:00' } : {}
      const written = status === 'trash' ? 'draft' : status
      hidden[status] = await this.write(path, { status: written, slug: mark, title: `T ${mark}`, content: `<p>C ${mark}</p>`, ...date })
      if (status === 'trash') await this.write(`${path}/${hidden[status]}`, undefined, 'DELETE')
    }
    return { open, locked, hidden }
  }

  /** Makes published records lead to unpublished ones, and lists hold them. */
  async #relate(): Promise<void> {
    const { Group, Course, Lesson } = this.records
    const draft = Course.hidden.draft as number
    await this.write(`v1/groups/${Group.open}`, { parent: Group.hidden.draft })
    await this.write(`v2/groups/${Group.open}/courses`, { course_ids: [Course.open, Course.locked, ...Object.values(Course.hidden)] })
    await this.write(`v1/sfwd-courses/${Course.open}`, {
      course_prerequisite_enabled: true,
      course_prerequisite_compare: 'ANY',
      course_prerequisite: [PUBLISHED_COURSE, ...Object.values(Course.hidden)],
    })
    await this.write(`v1/sfwd-courses/${Course.locked}`, {
      course_prerequisite_enabled: true,
      course_prerequisite_compare: 'ANY',
      course_prerequisite: Object.values(Course.hidden),
    })
    await this.write(`v2/sfwd-lessons/${Lesson.open}`, { course: draft })
    for (const lesson of [Lesson.locked, ...Object.values(Lesson.hidden)])
      await this.write(`v2/sfwd-lessons/${lesson}`, { course: Course.open }).catch(() => {})
  }

  /** Writes to the site as an administrator, past the proxy. Returns the id of the record. */
  async write(path: string, body?: object, method = 'POST'): Promise<number> {
    const response = await fetch(`${this.lms.url}/${this.namespace}/${path}`, {
      method,
      headers: { authorization: authorizationOf('admin'), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (JSON.parse(text) as { id: number }).id
  }
}
