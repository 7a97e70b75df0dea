import { fold } from '../folding.js'
import { motifOf } from '../pictures/draw.js'
import type { Cell } from '../store.js'
import { slugify } from '../text.js'
import { SUBJECTS, type Subject } from './curriculum.js'
import { FIRST_ID, PICTURES } from './ids.js'
import type { PostRow } from './posts.js'

/** A record that may have a picture, and its subject where that is known. */
export type Illustrated = readonly [row: PostRow, subject: Subject | undefined]

const plain = (text: string): string => text.replace(/[^\p{L}\p{N} &]/gu, '').trim()

/** The pictures of the school. Each is attached to the first record that features it, and shows its subject. */
export function makeMedia(records: readonly Illustrated[], author: number): Record<string, Cell>[] {
  const uses = new Map<Cell | boolean | undefined, Illustrated>()
  for (const use of records) if (!uses.has(use[0].featured_media)) uses.set(use[0].featured_media, use)
  const [[first]] = records as readonly [Illustrated]
  return Array.from({ length: PICTURES }, (_, place) => {
    const id = FIRST_ID.media + place
    const [row, subject = SUBJECTS[place % SUBJECTS.length]!] = uses.get(id) ?? [undefined]
    const dated = row?.date_gmt ? row : first
    const name = plain(subject.name)
    const title = `${name} ${place + 1}`
    const slug = slugify(title)
    const dates = ['date', 'date_gmt', 'modified', 'modified_gmt'].map((column) => [column, String(dated[column])] as const)
    return {
      id,
      subject: SUBJECTS.indexOf(subject),
      parent: row?.id ?? 0,
      author: (row?.author as number | undefined) ?? author,
      slug,
      file: `${String(dated.date).slice(0, 7).replace('-', '/')}/${slug}`,
      title,
      title_folded: fold(title),
      alt_text: `${motifOf(subject.area)}, drawn for ${name}`,
      caption: `${name} at Riverside School`,
      ...Object.fromEntries(dates),
    }
  })
}
