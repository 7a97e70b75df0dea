/** Rows of cells as lines with aligned columns. The first row has a cell for each column. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const padded = (row: readonly string[]): string[] => row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  return rows.map((row) => padded(row).join('  ').trimEnd())
}
