import { resolve } from 'node:path'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: this user has no permission (EACCES)',
  EISDIR: 'is a folder',
  EFBIG: 'is larger than 1 MB',
}

/**
 * The complaint about a file that cannot be read. `named` is how its name was given. The name itself is left out for files of secrets: operators
 * may give the secret instead of the file.
 */
export function unreadableFile(named: string, path: string | undefined, error: unknown): string {
  const { code = 'no reason given' } = error as NodeJS.ErrnoException
  const reason = REASONS[code] ?? `cannot be read (${code})`
  if (path === undefined) return `The file that ${named} names ${reason}.`
  const whole = resolve(path)
  return `The file \`${path}\` that ${named} names ${reason}${whole === path ? '' : `; its whole path is \`${whole}\``}.`
}
