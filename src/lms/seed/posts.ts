import { fold, foldedCells } from '../folding.js'
import type { Cell, Store } from '../store.js'
import { slugify } from '../text.js'
import { gmtText, siteText } from '../time.js'
import { FIRST_ID, PICTURES } from './ids.js'
import type { Random } from './random.js'

/** A row of a table with post-like records. */
export type PostRow = Record<string, Cell | boolean> & { id: number }

/** Input for the base columns of a record. */
export interface PostSeed {
  readonly id: number
  /** Its index among the records of its type. */
  readonly place: number
  readonly title: string
  readonly content: string
  readonly excerpt: string
  readonly author: number
  readonly status?: string
  readonly password?: string
  readonly meta: object
}

const HOUR = 3_600_000
const FIRST_DAY = Date.UTC(2021, 8, 1, 6)
/** Date of records with the status `future`, which must not become due. */
export const FAR_FUTURE = Date.UTC(2099, 0, 4, 9)
const SPAN = 4 * 365 * 24

const TEMPLATES = ['wide.php', 'sidebar.php', 'focus.php', '']

/** Makes the base columns of records, with unique slugs. */
export class PostMaker {
  readonly #slugs = new Map<string, number>()

  constructor(
    readonly random: Random,
    readonly count: number,
  ) {}

  make(seed: PostSeed): PostRow {
    const { random } = this
    const { id, place, title, content, excerpt, author, status = 'publish', password = '' } = seed
    const published =
      status === 'future' ? FAR_FUTURE : FIRST_DAY + Math.floor((place * SPAN) / this.count) * HOUR + random.int(0, 59) * 60_000
    const modified = Math.min(published, FIRST_DAY + SPAN * HOUR) + random.int(1, 5000) * HOUR
    return {
      id,
      slug: this.#slug(title),
      status,
      title,
      content,
      excerpt,
      password,
      author,
      parent: 0,
      menu_order: random.int(0, 40),
      featured_media: random.chance(0.95) ? FIRST_ID.media + random.int(0, PICTURES - 1) : 0,
      template: random.pick(TEMPLATES),
      comment_status: random.chance(0.6) ? 'open' : 'closed',
      ping_status: random.chance(0.2) ? 'open' : 'closed',
      meta: JSON.stringify(seed.meta),
      revisions: random.int(0, 12),
      date: siteText(published),
      date_gmt: gmtText(published),
      modified: siteText(modified),
      modified_gmt: gmtText(modified),
      ...foldedCells(seed),
    }
  }

  #slug(title: string): string {
    const slug = slugify(title)
    const copy = (this.#slugs.get(slug) ?? 0) + 1
    this.#slugs.set(slug, copy)
    return copy === 1 ? slug : `${slug}-${copy}`
  }
}

const TERM_NAMES: Readonly<Record<string, readonly string[]>> = {
  category: ['Mathematics', 'Science', 'Humanities', 'Languages', 'Arts', 'Technology', 'Business'],
  post_tag: ['New', 'Popular', 'Short', 'With Certificate', 'Self-Paced', 'Video', 'Exam'],
  lms_course_category: ['School', 'College', 'Adult Education', 'Teacher Training'],
  lms_course_tag: ['Beginner', 'Intermediate', 'Advanced', 'Weekend'],
  lms_lesson_category: ['Theory', 'Practice', 'Project', 'Revision'],
  lms_lesson_tag: ['Reading', 'Film', 'Group Work', 'Homework'],
  lms_group_category: ['Class', 'Year', 'Club', 'Programme'],
  lms_group_tag: ['Daytime', 'Evening', 'Online', 'Campus'],
}

/** The terms above others, in the same taxonomy. */
const PARENTS: Readonly<Record<string, string>> = {
  Languages: 'Humanities',
  Arts: 'Humanities',
  'Teacher Training': 'Adult Education',
  Project: 'Practice',
  Class: 'Year',
}

/** A tag that no course has. */
const UNUSED = { taxonomy: 'lms_course_tag', name: 'Summer School' }

/** The terms of the school, and the records that have them. */
export class Terms {
  readonly #byTaxonomy = new Map<string, number[]>()
  readonly #terms: PostRow[] = []
  readonly #given: Record<string, Cell>[] = []

  constructor(readonly random: Random) {
    for (const [taxonomy, names] of Object.entries(TERM_NAMES)) {
      const first = FIRST_ID.term + this.#terms.length
      const ids = new Map(names.map((name, index) => [name, first + index]))
      for (const name of names) this.#add(taxonomy, name, ids.get(PARENTS[name] ?? '') ?? 0)
      this.#byTaxonomy.set(taxonomy, [...ids.values()])
    }
    this.#add(UNUSED.taxonomy, UNUSED.name, 0)
  }

  #add(taxonomy: string, name: string, parent: number): void {
    this.#terms.push({
      id: FIRST_ID.term + this.#terms.length,
      taxonomy,
      parent,
      slug: slugify(name),
      name,
      name_folded: fold(name),
      description: `Everything with the ${taxonomy.endsWith('category') ? 'category' : 'tag'} “${name}”.`,
    })
  }

  /** Gives a record the category of its area and some terms of each other taxonomy. */
  give(post: number, area: string, own: 'course' | 'lesson' | 'group'): void {
    const category = TERM_NAMES.category!.indexOf(area)
    const add = (taxonomy: string, terms: readonly number[]): void => {
      for (const term of terms) this.#given.push({ post, taxonomy, term })
    }
    if (category >= 0) add('category', [this.#byTaxonomy.get('category')![category]!])
    for (const [taxonomy, most] of [
      ['post_tag', 3],
      [`lms_${own}_category`, 1],
      [`lms_${own}_tag`, 2],
    ] as const) {
      const count = this.random.chance(0.95) ? this.random.int(1, most) : 0
      add(taxonomy, this.random.some(this.#byTaxonomy.get(taxonomy)!, count))
    }
  }

  save(store: Store): void {
    store.insert('terms', this.#terms)
    store.insert('post_terms', this.#given)
  }
}
