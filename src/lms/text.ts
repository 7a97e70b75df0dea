import { fold } from './folding.js'

const NAMED: readonly (readonly [RegExp, string])[] = [
  [/&(?!#?\w+;)/g, '&#038;'],
  [/(^|[\s([{>])"(?=\S)/g, '$1&#8220;'],
  [/"/g, '&#8221;'],
  [/(\w)'(?=\w)/g, '$1&#8217;'],
  [/ - /g, ' &#8211; '],
]

/** Converts ampersands, quotes and dashes to typographic HTML entities, as WordPress does for titles. Tags stay as they are. */
export function typeset(text: string): string {
  if (!/[&"'-]/.test(text)) return text
  return text
    .split(/(<[^<>]*>)/)
    .map((part, index) => (index % 2 ? part : NAMED.reduce((made, [pattern, entity]) => made.replace(pattern, entity), part)))
    .join('')
}

/** Words as a part of a sentence: `a, b, and c`. */
export const inWords = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' and ') : `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`

/** Maximum length of a slug. */
export const SLUG_LENGTH = 200

/** Characters of a title that are used for its slug. Folding takes quadratic time for long runs of combining marks. */
const MAX_FOLDED = 5 * SLUG_LENGTH

/** The slug of a title: lower case words of letters, digits and underscores, joined by hyphens. */
export function slugify(title: string): string {
  return fold(title.replace(/<[^<>]*>|&#?\w+;/g, ' ').slice(0, MAX_FOLDED))
    .replace(/['’]/g, '')
    .replaceAll('þ', 'th')
    .replaceAll('ı', 'i')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-/, '')
    .slice(0, SLUG_LENGTH)
    .replace(/-$/, '')
}
