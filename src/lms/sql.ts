import type { Cell } from './store.js'

/** Text with its cells, in the order of the question marks. */
export class Sql {
  readonly parts: string[] = []
  readonly cells: Cell[] = []

  add(part: string, ...cells: Cell[]): void {
    this.parts.push(part)
    this.cells.push(...cells)
  }
}
