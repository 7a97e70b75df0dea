/** What a verified token says. */
export type Claims = Readonly<Record<string, unknown>>

const LARGEST_ID = 2 ** 31 - 1

/** The value of a claim, by its whole name, or by names joined with dots for one inside another. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Claims)[part]
  }
  return value
}

/** The user id a claim holds, as a number or in digits. Null when it holds none. */
export function userIdIn(claims: Claims, name: string): number | null {
  const value = claimAt(claims, name)
  const id = typeof value === 'string' && /^[1-9]\d{0,9}$/.test(value) ? Number.parseInt(value, 10) : value
  return typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= LARGEST_ID ? id : null
}

/** Whether a claim is `wanted`, a list that holds it, or true. */
export function claimGrants(claims: Claims, name: string, wanted: string): boolean {
  const value = claimAt(claims, name)
  return value === true || value === wanted || (Array.isArray(value) && value.includes(wanted))
}
