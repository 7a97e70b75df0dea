import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'

/** The largest size of files that options name. */
const MAX_BYTES = 1_000_000
/** Bytes that are read at a time: a folder can have thousands of small files. */
const PART = 16_384

/** The text of a file, which may be a pipe. Throws when it is too large. */
export function readText(path: string): string {
  const file = openSync(path, 'r')
  try {
    const parts: Buffer[] = []
    let length = 0
    for (let read = -1; read !== 0 && length <= MAX_BYTES; length += read) {
      const part = Buffer.alloc(PART)
      read = readSync(file, part)
      parts.push(part.subarray(0, read))
    }
    if (length > MAX_BYTES) throw Object.assign(new Error('The file is too large.'), { code: 'EFBIG' })
    return Buffer.concat(parts).toString('utf8')
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
