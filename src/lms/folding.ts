/** Characters that comparisons ignore: accents and other marks above, below or within letters, and invisible characters. */
const MARK = '\\p{Default_Ignorable_Code_Point}|\\p{sc=Inherited}|(?=\\p{Mn})[\\p{sc=Arab}\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Hebr}\\p{sc=Latn}]'
/** Marks that make a different letter: Cyrillic short i, and Arabic letters with hamza or madda. */
const PART_OF_LETTER = '(?<=[Ии])\\u0306|[\\u0653-\\u0655]'
const IGNORED = new RegExp(`\\0|(?!${PART_OF_LETTER})(?:${MARK})`, 'gu')

/** Letters that Unicode does not decompose, and the letters they are equal to. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ς: 'σ' }

const ASCII = /^\p{ASCII}*$/u

/** Whether `fold` changes only the case of ASCII letters, which comparisons of SQLite ignore anyway. */
const isAscii = (text: string): boolean => ASCII.test(text) && !text.includes('\0')

/**
 * Folds a text for comparison: texts that are equal in the collation `utf8mb4_unicode_520_ci` fold to the same text. Ignores case,
 * accents, ligatures and full-width forms.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(IGNORED, '')
    .toLowerCase()
    .replace(/[ßæœøłđðħς]/g, (letter) => LETTERS[letter]!)
    .normalize('NFC')
}

/** Columns for the folded texts of a record. Content and excerpt are null when the text itself is ASCII. */
export const FOLDED_COLUMNS = ["title_folded TEXT NOT NULL DEFAULT ''", 'content_folded TEXT', 'excerpt_folded TEXT'] as const

/** SQL of the folded texts by their names in `search_columns`, to be compared by `LIKE` or `COLLATE NOCASE`. */
export const COMPARED = {
  post_title: 't.title_folded',
  post_content: 'coalesce(t.content_folded, t.content)',
  post_excerpt: 'coalesce(t.excerpt_folded, t.excerpt)',
} as const

interface Texts {
  readonly title: string
  readonly content: string
  readonly excerpt: string
}

/** The cells of the folded columns. */
export const foldedCells = ({ title, content, excerpt }: Texts) => ({
  title_folded: fold(title),
  content_folded: isAscii(content) ? null : fold(content),
  excerpt_folded: isAscii(excerpt) ? null : fold(excerpt),
})
