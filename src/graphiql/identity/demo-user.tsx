import { useGraphiQL } from '@graphiql/react'
import type { User } from '../config.js'
import { headersIn, withAuthorization } from '../headers.js'
import { useTab, useTabTexts } from '../tab-state.js'

const ANONYMOUS = ''
const OTHER = 'other'

/** Selects the demo user for the current tab by setting its `Authorization` header. */
export function DemoUser({ users }: { users: readonly User[] }) {
  const texts = useTabTexts()
  const headerEditor = useGraphiQL((state) => state.headerEditor)
  const authorization = headersIn(useTab()?.headers)?.authorization
  const current = users.find((user) => user.authorization === authorization)
  const value = authorization === undefined ? ANONYMOUS : (current?.login ?? OTHER)

  const signIn = (login: string) => {
    const user = users.find((candidate) => candidate.login === login)
    texts.set({ headers: withAuthorization(headerEditor?.getValue(), user?.authorization) })
  }

  return (
    <label className="identity">
      <span className="identity-label">Run as</span>
      <select className="identity-button" value={value} disabled={!headerEditor} onChange={(event) => signIn(event.target.value)}>
        <option value={ANONYMOUS}>visitor, not signed in</option>
        {users.map(({ login, name, role }) => (
          <option key={login} value={login}>
            {name} ({role})
          </option>
        ))}
        {value === OTHER && <option value={OTHER}>from the headers</option>}
      </select>
    </label>
  )
}
