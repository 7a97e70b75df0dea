/** The claim by which a token is that of an administrator. */
export interface AdminClaim {
  readonly claim: string
  readonly value: string
}

/** Reads `CLAIM=VALUE`. Undefined for another text. Only the value may contain further equals signs, as names of groups in directories do. */
export function readAdminClaim(text: string): AdminClaim | undefined {
  const [, claim, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  return claim === undefined || value === undefined ? undefined : { claim, value }
}
