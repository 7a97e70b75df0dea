/** Whether a value names a time zone. */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const offset = /^[+-](\d\d):(\d\d)$/.exec(value)
  if (offset) return Number(offset[1]) <= 14 && Number(offset[2]) < 60
  // Versions of Node differ in the other forms of offsets that they accept.
  if (value.startsWith('+') || value.startsWith('-')) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
