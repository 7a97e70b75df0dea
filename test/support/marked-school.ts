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

/** Users whose tokens are used, and one more. Demo users: a leader of groups, who is an editor in the gateway, and two learners. */
export const EDITOR = 2
export const LEARNER = 3
export const OTHER = 4
/** An administrator of the site, who has written all records. */
const AUTHOR = 1
export const QUESTION = 500_001
/** A published course of the sample school. */
const PUBLISHED_COURSE = 10_001
/** What an answer of the question is worth, unique in the school. */
const WORTH = 73_410_017

const HIDDEN = ['draft', 'pending', 'private', 'future', 'trash'] as const

/** What a role must get to see marks: all records, columns of editors, answers, everything of users and images, or the data of a user. */
export type MarkKind = 'records' | 'editOnly' | 'answers' | 'personal' | 'media' | `of ${number}`

const IMAGE = 890_001
const TOPICS = 490_001

/** The mark in the progress of a user, and the day of the enrolment. */
const progressOf = (user: number): readonly [steps: number, day: string] => [73_410_000 + user, `2003-03-0${user}`]

const MARK =
  /\\"qx[a-z0-9]+\\"|(?<![“;\w-])qx[a-z0-9]+|open-qx[a-z0-9]+|%postname%|(?<!\d)734100\d\d(?!\d)|(?<!\d)200(?:1-02|3-03)-0\d(?!\d)/g

/**
 * A school with a unique mark in each value that not everybody may see. Texts with a mark have the form `qx…`: unpublished records have it in
 * all their texts, published ones in their raw texts, questions in their answers, users in their names, and an image of a draft. Progress has
 * it in the number of its steps and the day of the enrolment.
 */
export class MarkedSchool {
  readonly records = {} as Record<PostType, MarkedRecords>
  /** The topics of the lessons. */
  topics: readonly number[] = []
  /** The quiz of the question. */
  quiz = 0

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
    for (const user of [LEARNER, OTHER])
      db.prepare('UPDATE users SET login = ?, name = ?, name_folded = ?, registered_date = ? WHERE id = ?').run(
        `qxlogin${user}`,
        `qxfirst${user} qxlast${user}`,
        `qxfirst${user} qxlast${user}`,
        `2001-02-0${user}T08:00:00+00:00`,
        user,
      )
    db.prepare('UPDATE users SET registered_date = ? WHERE id = ?').run(`2001-02-0${AUTHOR}T08:00:00+00:00`, AUTHOR)
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
    const { open, hidden } = school.records.Course
    const late = new Database(data)
    const progress = late.prepare(
      "INSERT OR REPLACE INTO progress (user, course, status, steps_completed, steps_total, enrolled_at) VALUES (?, ?, 'IN_PROGRESS', 1, ?, ?)",
    )
    for (const user of [EDITOR, LEARNER, OTHER])
      for (const course of [open, hidden.draft]) {
        const [steps, day] = progressOf(user)
        progress.run(user, course as number, steps, Date.parse(`${day}T08:00:00Z`) / 1_000)
      }
    // Topics have the texts and the status of their lessons.
    const { Lesson } = school.records
    const lessons = [Lesson.open, Lesson.locked, ...Object.values(Lesson.hidden)]
    const step = late.prepare("INSERT INTO course_steps (course, position, step, kind, lesson) VALUES (?, ?, ?, 'topic', ?)")
    for (const [place, lesson] of lessons.entries()) step.run(open, place, TOPICS + place, lesson)
    school.topics = lessons.map((_, place) => TOPICS + place)
    school.quiz = (late.prepare('SELECT quiz FROM questions WHERE id = ?').get(QUESTION) as { quiz: number }).quiz
    // An image that was uploaded to a draft.
    late
      .prepare(
        "INSERT INTO media (id, subject, parent, author, slug, file, title, title_folded, alt_text, caption, date, date_gmt, modified, modified_gmt) SELECT ?, subject, ?, ?, 'qximage', 'qximage', 'qximage', 'qximage', 'qximage', 'qximage', date, date_gmt, modified, modified_gmt FROM media LIMIT 1",
      )
      .run(IMAGE, hidden.draft as number, AUTHOR)
    late.prepare('UPDATE courses SET featured_media = ? WHERE id = ?').run(IMAGE, open)
    late.close()
    return school
  }

  /** The marks in a text of JSON. Quotes are part of some: rendered titles have typographic ones. */
  static marksIn(text: string): string[] {
    return [...new Set(text.match(MARK) ?? [])]
  }

  /** The marks, by what a role must get to see them. */
  static marks(): Readonly<Record<MarkKind, readonly string[]>> {
    const names = POSTS.map(({ type }) => type.toLowerCase())
    const ofUser = (user: number): string[] => progressOf(user).map(String)
    return {
      records: names.flatMap((name) => HIDDEN.map((status) => `qx${name}${status}`)),
      editOnly: names
        .flatMap((name) => [`\\"qxraw${name}\\"`, `open-qxraw${name}`, `qxblock${name}`, `qxpass${name}`, `qxlocked${name}`])
        .concat('%postname%'),
      answers: ['qxquestion', 'qxhint', 'qxright', 'qxanswer', 'qxcriterion', String(WORTH)],
      personal: [LEARNER, OTHER]
        .flatMap((user) => [`qxlogin${user}`, `qxfirst${user}`, `qxlast${user}`, `2001-02-0${user}`])
        .concat(`2001-02-0${AUTHOR}`),
      media: ['qximage'],
      [`of ${EDITOR}`]: ofUser(EDITOR),
      [`of ${LEARNER}`]: ofUser(LEARNER),
      [`of ${OTHER}`]: ofUser(OTHER),
    }
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
    await this.write(`v2/groups/${Group.hidden.draft}/courses`, { course_ids: [Course.open] })
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
