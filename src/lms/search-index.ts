import { POST_TABLES } from './spec/post.js'

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

/** Tables with a full-text index. */
export const SEARCHED = POST_TABLES

/** Columns for the folded texts of a record. Content and excerpt are null when the text itself is ASCII. */
export const FOLDED_COLUMNS = ["title_folded TEXT NOT NULL DEFAULT ''", 'content_folded TEXT', 'excerpt_folded TEXT'] as const

/** SQL of the folded texts, to be compared by `LIKE` or `COLLATE NOCASE`. */
export const COMPARED = {
  title: 't.title_folded',
  content: 'coalesce(t.content_folded, t.content)',
  excerpt: 'coalesce(t.excerpt_folded, t.excerpt)',
} as const

export const hasIndex = (table: string): boolean => (SEARCHED as readonly string[]).includes(table)

/** The name of the full-text index of a table. */
export const indexOf = (table: string): string => `${table}_search`

/**
 * SQL of the full-text index of a table, and of triggers that list changed records in `unindexed`, also when another program changes
 * the file. The index has trigrams without positions: it is a third of the size, but its matches must be compared with the text.
 */
export const searchIndex = (table: string): string => `
CREATE INDEX ${table}_title ON ${table} (status, title_folded, id);
CREATE VIRTUAL TABLE ${indexOf(table)} USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
CREATE TRIGGER ${table}_search_insert AFTER INSERT ON ${table} BEGIN
  INSERT OR IGNORE INTO unindexed VALUES ('${table}', new.id);
END;
CREATE TRIGGER ${table}_search_update AFTER UPDATE OF title, content, excerpt ON ${table}
WHEN old.title <> new.title OR old.content <> new.content OR old.excerpt <> new.excerpt BEGIN
  INSERT OR IGNORE INTO unindexed VALUES ('${table}', new.id);
END;
CREATE TRIGGER ${table}_search_delete AFTER DELETE ON ${table} BEGIN
  DELETE FROM ${indexOf(table)} WHERE rowid = old.id;
  DELETE FROM unindexed WHERE kind = '${table}' AND id = old.id;
END;`

/** Table of records whose texts have changed since they were indexed. It is empty after each transaction of the LMS. */
export const UNINDEXED = 'CREATE TABLE unindexed (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;'

type Cell = string | number | null

/** The methods of the store that the index uses. */
interface Data {
  rows(sql: string, ...cells: readonly Cell[]): readonly (readonly Cell[])[]
  row(sql: string, ...cells: readonly Cell[]): readonly Cell[] | undefined
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

const BATCH = 500

/** Bytes of the index that are collected before a write. Larger writes are faster for many records. */
const HASH_SIZE = 1 << 20
const LARGE_HASH_SIZE = 64 << 20
const MANY_RECORDS = 2000

/** Updates folded columns and indexes. Must be called in the transaction that changed the texts. */
export function updateSearchIndex(store: Data): void {
  for (const [kind, count] of store.rows('SELECT kind, count(*) FROM unindexed GROUP BY kind')) {
    const table = String(kind)
    const isLarge = Number(count) > MANY_RECORDS
    if (isLarge) setHashSize(store, table, LARGE_HASH_SIZE)
    while (indexBatch(store, table) === BATCH);
    if (isLarge) setHashSize(store, table, HASH_SIZE)
  }
}

const setHashSize = (store: Data, table: string, bytes: number): void =>
  // The driver binds numbers as REAL, which FTS5 refuses here.
  store.run(`INSERT INTO ${indexOf(table)} (${indexOf(table)}, rank) VALUES ('hashsize', ${bytes})`)

const COLUMNS = 't.id, t.title, t.content, t.excerpt, t.title_folded, t.content_folded, t.excerpt_folded'

/** Indexes the next records of a table. Returns their number. */
function indexBatch(store: Data, table: string): number {
  const rows = store.rows(
    `SELECT ${COLUMNS} FROM unindexed u JOIN ${table} t ON t.id = u.id WHERE u.kind = ? ORDER BY u.id LIMIT ${BATCH}`,
    table,
  )
  for (const [id, title, content, excerpt, ...known] of rows) {
    const texts = { title: String(title), content: String(content), excerpt: String(excerpt) }
    const folded = foldedCells(texts)
    const cells: Cell[] = Object.values(folded)
    if (cells.some((cell, index) => cell !== known[index]))
      store.run(`UPDATE ${table} SET title_folded = ?, content_folded = ?, excerpt_folded = ? WHERE id = ?`, ...cells, id!)
    const { title_folded, content_folded, excerpt_folded } = folded
    const text = `${title_folded}\n${content_folded ?? texts.content.toLowerCase()}\n${excerpt_folded ?? texts.excerpt.toLowerCase()}`
    store.run(`INSERT OR REPLACE INTO ${indexOf(table)} (rowid, text) VALUES (?, ?)`, id!, text)
  }
  const last = rows.length < BATCH ? Number.MAX_SAFE_INTEGER : rows.at(-1)![0]!
  store.run('DELETE FROM unindexed WHERE kind = ? AND id <= ?', table, last)
  return rows.length
}

const TRIGRAM = 3
/** Most trigrams of a search. More trigrams exclude few further records. */
const MAX_TRIGRAMS = 24

/** The trigrams that cover a word. Words of one or two characters have none. */
function trigramsOf(word: string): string[] {
  const characters = [...word]
  const last = characters.length - TRIGRAM
  if (last < 0) return []
  const starts = Array.from({ length: Math.ceil(last / TRIGRAM) }, (_, index) => index * TRIGRAM)
  return [...starts, last].map((start) => characters.slice(start, start + TRIGRAM).join(''))
}

/** A full-text query that matches every record with all of these folded words; undefined when all words are too short. */
function matchOf(words: readonly string[]): string | undefined {
  const trigrams = [...new Set(words.flatMap(trigramsOf))].slice(0, MAX_TRIGRAMS)
  return trigrams.length ? trigrams.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' ') : undefined
}

/** With more matches, reading the whole table is faster. */
const MAX_MATCHES = 8000

/** The `FROM` clause of a search, with the condition of the index where the index excludes enough records. */
export function searchSource(store: Data, table: string, words: readonly string[]): { from: string; where?: string; cell?: string } {
  const match = matchOf(words)
  const index = indexOf(table)
  if (match === undefined) return { from: `${table} t` }
  const count = `SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT ${MAX_MATCHES + 1})`
  if (Number(store.row(count, match)![0]) > MAX_MATCHES) return { from: `${table} t` }
  return { from: `${index} f CROSS JOIN ${table} t ON t.id = f.rowid`, where: `f.${index} MATCH ?`, cell: match }
}
