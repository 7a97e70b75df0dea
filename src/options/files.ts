import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'

/** The largest size of files that options name. */
const MAX_BYTES = 1_000_000

/** The text of a file, which may be a pipe. Throws when it is too large. */
export function readText(path: string): string {
  const file = openSync(path, 'r')
  try {
    // The size of a pipe is not known.
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size || MAX_BYTES, MAX_BYTES) + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null)
    if (length > MAX_BYTES) throw Object.assign(new Error('The file is too large.'), { code: 'EFBIG' })
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: this user has no permission (EACCES)',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
  EFBIG: 'is larger than 1 MB',
}

/** Why a file or folder cannot be read, as the predicate of a sentence. */
export function whyUnreadable(error: unknown): string {
  const { code = 'no reason given' } = error as NodeJS.ErrnoException
  return REASONS[code] ?? `cannot be read (${code})`
}

/**
 * The complaint about a file that cannot be read. `named` is how its name was given. The name itself is left out for files of secrets: operators
 * may give the secret instead of the file.
 */
export function unreadableFile(named: string, path: string | undefined, error: unknown): string {
  const reason = whyUnreadable(error)
  if (path === undefined) return `The file that ${named} names ${reason}.`
  const whole = resolve(path)
  return `The file \`${path}\` that ${named} names ${reason}${whole === path ? '' : `; its whole path is \`${whole}\``}.`
}
