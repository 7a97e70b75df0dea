import { fold, isAscii } from './folding.js'
import { indexOf } from './search-schema.js'

type Cell = string | number | null

/** What the index needs of the store. */
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

/** Bytes of the index that are collected before they are written: with many records at once, larger parts are faster. */
const HASH_SIZE = 1 << 20
const LARGE_HASH_SIZE = 64 << 20
const MANY_RECORDS = 2000

/** Brings folded columns and indexes up to date with the texts. To be called in the transaction that has changed them. */
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

/** Indexes the next records of a table; how many they were. */
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

const GRAM = 3
/** Trigrams of one search; more of them hardly narrow it down. */
const MOST_GRAMS = 24

/** Trigrams that are in every text with this word, each character in at least one of them; none for words of one or two characters. */
function gramsOf(word: string): string[] {
  const characters = [...word]
  const last = characters.length - GRAM
  if (last < 0) return []
  const starts = Array.from({ length: Math.ceil(last / GRAM) }, (_, index) => index * GRAM)
  return [...starts, last].map((start) => characters.slice(start, start + GRAM).join(''))
}

/** A query of the index that every record with all of these folded words matches; undefined where all are too short for it. */
function matchOf(words: readonly string[]): string | undefined {
  const grams = [...new Set(words.flatMap(gramsOf))].slice(0, MOST_GRAMS)
  return grams.length ? grams.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' ') : undefined
}

/** With more matches than that, to read the whole table is faster. */
const MOST_MATCHES = 8000

/** The tables and the condition to begin a search with: those of the index, where it narrows the search down. */
export function searchSource(store: Data, table: string, words: readonly string[]): { from: string; where?: string; cell?: string } {
  const match = matchOf(words)
  const index = indexOf(table)
  if (match === undefined) return { from: `${table} t` }
  const count = `SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT ${MOST_MATCHES + 1})`
  if (Number(store.row(count, match)![0]) > MOST_MATCHES) return { from: `${table} t` }
  return { from: `${index} f CROSS JOIN ${table} t ON t.id = f.rowid`, where: `f.${index} MATCH ?`, cell: match }
}
