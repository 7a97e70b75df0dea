import { getOrMake } from '../../maps.js'
import type { SavedOperation } from './collection.js'

/** A folder as the pane shows it. */
export interface Folder {
  /** Its path within the operations folder, which itself has an empty one. */
  readonly path: string
  /** Its own operations by their groups. Those without a group come first, with an empty name. */
  readonly groups: readonly (readonly [group: string, operations: readonly SavedOperation[]])[]
  readonly folders: readonly Folder[]
  /** How many operations it has, with those of the folders in it. */
  readonly size: number
}

/** The folder with these operations, which are at its path or below it. Their order stays. */
export function folderOf(operations: readonly SavedOperation[], path = ''): Folder {
  const groups = new Map<string, SavedOperation[]>([['', []]])
  const folders = new Map<string, SavedOperation[]>()
  for (const operation of operations) {
    const { folder, group } = operation
    const [part = ''] = folder.slice(path === '' ? 0 : path.length + 1).split('/', 1)
    const list =
      part === '' ? getOrMake(groups, group ?? '', () => []) : getOrMake(folders, path === '' ? part : `${path}/${part}`, () => [])
    list.push(operation)
  }
  return {
    path,
    groups: [...groups].filter(([, list]) => list.length > 0),
    folders: [...folders].map(([inner, inside]) => folderOf(inside, inner)),
    size: operations.length,
  }
}

/** The operations that have all words of a text in their title, description, name, folder or group, in any case. */
export function search(operations: readonly SavedOperation[], text: string): readonly SavedOperation[] {
  const words = text.toLowerCase().split(/\s+/)
  return operations.filter(({ title, description, name, folder, group }) => {
    const all = [title, description, name, folder, group].join('\n').toLowerCase()
    return words.every((word) => all.includes(word))
  })
}
