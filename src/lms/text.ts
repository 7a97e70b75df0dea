const NAMED: readonly (readonly [RegExp, string])[] = [
  [/&(?!#?\w+;)/g, '&#038;'],
  [/(^|[\s([{>])"(?=\S)/g, '$1&#8220;'],
  [/"/g, '&#8221;'],
  [/(\w)'(?=\w)/g, '$1&#8217;'],
  [/ - /g, ' &#8211; '],
]

/** A title or text as pages show it: ampersands, quotes and dashes as typographic HTML entities; tags stay untouched. */
export function typeset(text: string): string {
  if (!/[&"'-]/.test(text)) return text
  return text
    .split(/(<[^<>]*>)/)
    .map((part, index) => (index % 2 ? part : NAMED.reduce((made, [pattern, entity]) => made.replace(pattern, entity), part)))
    .join('')
}

/** Letters that are no base letter with an accent. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

/** Most characters of a slug. */
export const SLUG_LENGTH = 200

/** Characters of a title that are looked at for its slug: `normalize` takes quadratic time for a long run of combining marks. */
const MOST_NORMALIZED = 5 * SLUG_LENGTH

/** The part of a permalink made from a title: lower case words of letters, digits and underscores, joined by hyphens. */
export function slugify(title: string): string {
  return title
    .replace(/<[^<>]*>|&#?\w+;/g, ' ')
    .slice(0, MOST_NORMALIZED)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter]!)
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-/, '')
    .slice(0, SLUG_LENGTH)
    .replace(/-$/, '')
}
