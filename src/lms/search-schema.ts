/** Tables that can be searched. */
export const SEARCHED = ['groups', 'courses', 'lessons', 'quizzes'] as const

/** Folded texts of a record. Those of content and excerpt are null where the texts themselves are ASCII. */
export const FOLDED_COLUMNS = ["title_folded TEXT NOT NULL DEFAULT ''", 'content_folded TEXT', 'excerpt_folded TEXT'] as const

/** Columns as conditions compare them with folded texts, by `LIKE` or `COLLATE NOCASE`. */
export const COMPARED = {
  title: 't.title_folded',
  content: 'coalesce(t.content_folded, t.content)',
  excerpt: 'coalesce(t.excerpt_folded, t.excerpt)',
} as const

/** The name of the index of a table. */
export const indexOf = (table: string): string => `${table}_search`

/**
 * The full-text index of a table, and the triggers that keep `unindexed` up to date, also when another program changes the file.
 * The index holds the trigrams of the folded texts, without their positions: a third of the size, but what it finds must be compared.
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

/** Records whose texts have changed since they were indexed. It is empty after each transaction of the LMS. */
export const UNINDEXED = 'CREATE TABLE unindexed (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;'
