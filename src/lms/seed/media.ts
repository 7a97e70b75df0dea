import { fold } from '../folding.js'
import { motifOf } from '../pictures/draw.js'
import type { Cell } from '../store.js'
import { slugify } from '../text.js'
import { SUBJECTS, type Subject } from './curriculum.js'
import { FIRST_ID } from './ids.js'
import type { PostRow } from './posts.js'

/** A record that may have a picture, and its subject where that is known. */
export type Illustrated = readonly [row: PostRow, subject: Subject | undefined]

const plain = (text: string): string => text.replace(/[^\p{L}\p{N} &]/gu, '').trim()

/** The pictures that records feature. Each is attached to the first of them, and shows its subject. */
export function makeMedia(records: readonly Illustrated[]): Record<string, Cell>[] {
  const uses = new Map<number, Illustrated>()
  for (const use of records) {
    const picture = Number(use[0].featured_media)
    if (picture !== 0 && !uses.has(picture)) uses.set(picture, use)
  }
  return [...uses].map(([id, [row, subject = SUBJECTS[id % SUBJECTS.length]!]]) => {
    const [modified, modified_gmt] = [String(row.modified), String(row.modified_gmt)]
    const [date, date_gmt] = [String(row.date ?? modified), String(row.date_gmt ?? modified_gmt)]
    const name = plain(subject.name)
    const title = `${name} ${id - FIRST_ID.media + 1}`
    const slug = slugify(title)
    return {
      id,
      subject: SUBJECTS.indexOf(subject),
      parent: row.id,
      author: Number(row.author),
      slug,
      file: `${date.slice(0, 7).replace('-', '/')}/${slug}`,
      title,
      title_folded: fold(title),
      alt_text: `${motifOf(subject.area)}, drawn for ${name}`,
      caption: `${name} at Riverside School`,
      date,
      date_gmt,
      modified,
      modified_gmt,
    }
  })
}
