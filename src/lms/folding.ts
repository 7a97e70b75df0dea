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

/** SQL of the folded texts, to be compared by `LIKE` or `COLLATE NOCASE`. */
export const COMPARED = {
  title: 't.title_folded',
  content: 'coalesce(t.content_folded, t.content)',
  excerpt: 'coalesce(t.excerpt_folded, t.excerpt)',
} as const

/** SQL of triggers that list records with changed texts in `unfolded`, also when another program changes the file. */
export const foldingTriggers = (table: string): string => `
CREATE INDEX ${table}_title ON ${table} (status, title_folded, id);
CREATE TRIGGER ${table}_unfolded_insert AFTER INSERT ON ${table} BEGIN
  INSERT OR IGNORE INTO unfolded VALUES ('${table}', new.id);
END;
CREATE TRIGGER ${table}_unfolded_update AFTER UPDATE OF title, content, excerpt ON ${table}
WHEN old.title <> new.title OR old.content <> new.content OR old.excerpt <> new.excerpt BEGIN
  INSERT OR IGNORE INTO unfolded VALUES ('${table}', new.id);
END;
CREATE TRIGGER ${table}_unfolded_delete AFTER DELETE ON ${table} BEGIN
  DELETE FROM unfolded WHERE kind = '${table}' AND id = old.id;
END;`

/** Table of records whose texts have changed since they were folded. It is empty after each transaction of the LMS. */
export const UNFOLDED = 'CREATE TABLE unfolded (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;'

type Cell = string | number | null

/** The methods of the store that folding uses. */
interface Data {
  rows(sql: string, ...cells: readonly Cell[]): readonly (readonly Cell[])[]
  run(sql: string, ...cells: readonly Cell[]): void
}

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

/** Records that are folded at a time. */
const BATCH = 500

const COLUMNS = 't.id, t.title, t.content, t.excerpt, t.title_folded, t.content_folded, t.excerpt_folded'

/** Updates the folded columns. Must be called in the transaction that changed the texts. */
export function foldChanged(store: Data): void {
  for (const [kind] of store.rows('SELECT DISTINCT kind FROM unfolded')) while (foldBatch(store, String(kind)) === BATCH);
}

/** Folds the next records of a table. Returns their number. */
function foldBatch(store: Data, table: string): number {
  const rows = store.rows(
    `SELECT ${COLUMNS} FROM unfolded u JOIN ${table} t ON t.id = u.id WHERE u.kind = ? ORDER BY u.id LIMIT ${BATCH}`,
    table,
  )
  for (const [id, title, content, excerpt, ...known] of rows) {
    const cells: Cell[] = Object.values(foldedCells({ title: String(title), content: String(content), excerpt: String(excerpt) }))
    if (cells.some((cell, index) => cell !== known[index]))
      store.run(`UPDATE ${table} SET title_folded = ?, content_folded = ?, excerpt_folded = ? WHERE id = ?`, ...cells, id!)
  }
  const last = rows.length < BATCH ? Number.MAX_SAFE_INTEGER : rows.at(-1)![0]!
  store.run('DELETE FROM unfolded WHERE kind = ? AND id <= ?', table, last)
  return rows.length
}
