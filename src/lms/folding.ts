/** Characters that a comparison ignores: accents and other marks above, below or within letters, and invisible characters. */
const MARK = '\\p{Default_Ignorable_Code_Point}|\\p{sc=Inherited}|(?=\\p{Mn})[\\p{sc=Arab}\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Hebr}\\p{sc=Latn}]'
/** Marks that make another letter: Cyrillic short i, and Arabic letters with hamza or madda. */
const PART_OF_LETTER = '(?<=[Ии])\\u0306|[\\u0653-\\u0655]'
const IGNORED = new RegExp(`\\0|(?!${PART_OF_LETTER})(?:${MARK})`, 'gu')

/** Letters that Unicode does not decompose, and the letters they are compared as. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ς: 'σ' }

const ASCII = /^\p{ASCII}*$/u

/** Whether `fold` changes nothing but the case of ASCII letters, which SQLite ignores by itself. */
export const isAscii = (text: string): boolean => ASCII.test(text) && !text.includes('\0')

/**
 * The form in which texts are compared: two texts that the collation `utf8mb4_unicode_520_ci` takes for equal fold to the same text.
 * Case, accents, ligatures and full-width forms do not count.
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
