import { describe, expect, it } from 'vitest'
import { Credentials } from '../../src/upstream/credentials.js'
import { ForbiddenError, TimeoutError, UnauthenticatedError } from '../../src/upstream/errors.js'
import { ViewerCache } from '../../src/upstream/site/viewers.js'

const [ONE, OTHER] = ['Basic a', 'Basic b'].map((authorization) => new Credentials({ authorization })) as [Credentials, Credentials]
const ADA = { id: 1, name: 'Ada', roles: ['administrator'] }

/** A cache with a clock that a test sets. */
function make(max?: number) {
  const clock = { seconds: 1_000 }
  return { clock, viewers: new ViewerCache(() => clock.seconds * 1_000, max) }
}

describe('viewers', () => {
  it('are kept by credentials for five minutes', () => {
    const { clock, viewers } = make()
    expect(viewers.of(ONE)).toBeUndefined()
    viewers.keep(ONE, ADA)
    expect([viewers.of(ONE), viewers.of(new Credentials({ authorization: 'Basic a' })), viewers.of(OTHER)]).toEqual([ADA, ADA, undefined])
    clock.seconds += 300
    expect(viewers.of(ONE)).toEqual(ADA)
    clock.seconds += 1
    expect(viewers.of(ONE)).toBeUndefined()
  })

  it('are bounded in number: the least recently used is evicted', () => {
    const { viewers } = make(2)
    const [a, b, c] = ['a', 'b', 'c'].map((token) => new Credentials({ authorization: `Bearer ${token}` })) as [
      Credentials,
      Credentials,
      Credentials,
    ]
    viewers.keep(a, ADA)
    viewers.keep(b, ADA)
    viewers.of(a)
    viewers.keep(c, ADA)
    expect([a, b, c].map((each) => viewers.of(each))).toEqual([ADA, undefined, ADA])
  })

  it('are null where the site does not tell the user, for five minutes or until it rejects the credentials', () => {
    const { clock, viewers } = make()
    viewers.keep(ONE, null)
    clock.seconds += 300
    expect(viewers.of(ONE)).toBeNull()
    clock.seconds += 1
    expect(viewers.of(ONE)).toBeUndefined()
    viewers.keep(ONE, null)
    viewers.forget(ONE)
    expect(viewers.of(ONE)).toBeUndefined()
  })

  it('are forgotten alone', () => {
    const { viewers } = make()
    viewers.keep(ONE, ADA)
    viewers.keep(OTHER, ADA)
    viewers.forget(ONE)
    expect([viewers.of(ONE), viewers.of(OTHER)]).toEqual([undefined, ADA])
  })
})

describe('refusals', () => {
  it('are kept for half a minute, each as a new error, and are not forgotten', () => {
    const { clock, viewers } = make()
    const upstream = { status: 401, code: 'incorrect_password' }
    const refusal = new UnauthenticatedError('No.', upstream)
    viewers.refuse(ONE, refusal)
    viewers.refuse(OTHER, new ForbiddenError('Not you.'))
    viewers.forget(ONE)
    const [first, second] = [viewers.of(ONE), viewers.of(ONE)]
    expect(first).toBeInstanceOf(UnauthenticatedError)
    expect(first).toMatchObject({ message: 'No.', upstream })
    expect(first).not.toBe(second)
    expect(first).not.toBe(refusal)
    expect(viewers.of(OTHER)).toBeInstanceOf(ForbiddenError)
    clock.seconds += 31
    expect([viewers.of(ONE), viewers.of(OTHER)]).toEqual([undefined, undefined])
  })

  it('of other kinds are not kept', () => {
    const { viewers } = make()
    viewers.refuse(ONE, new TimeoutError('Too late.'))
    expect(viewers.of(ONE)).toBeUndefined()
  })
})
