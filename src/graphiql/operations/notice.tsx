import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import type { Config } from '../config.js'
import { useCollection, usePageContext } from '../page-context.js'
import { useIsSignedIn, useRun, useTab } from '../tab-state.js'
import { CHOOSE, type SavedOperation } from './collection.js'
import { openIds } from './site-ids.js'
import { userOf } from './tabs.js'

/** What a response has that another caller may not get. Codes are also values of fields, in the payload of a mutation. */
const REFUSED = ['"code": "UNAUTHENTICATED"', '"code": "FORBIDDEN"', '"viewer": null']

/** Says that the response is an old one, else why the operation in the current tab does not show everything, and what to do. */
export function Notice() {
  const { config } = usePageContext()
  const collection = useCollection()
  const isFetching = useGraphiQL((state) => state.isFetching)
  const { run } = useGraphiQLActions()
  const isSignedIn = useIsSignedIn()
  const { change } = useRun()
  const { query = null, variables = null, response = null } = useTab() ?? {}
  const operation = collection.find(query)
  const isOld = change !== undefined && response && !isFetching
  const text = operation ? explain(operation, openIds(operation, variables), !isOld && isRefused(response), config, isSignedIn) : ''
  return (
    <div role="status" className="notice">
      {isOld && (
        <p className="old-response">
          You have changed {change} since this response.{' '}
          <button type="button" onClick={() => run()}>
            Run again
          </button>
        </p>
      )}
      {text && <p>{text}</p>}
    </div>
  )
}

const isRefused = (response: string | null): boolean => REFUSED.some((code) => response?.includes(code))

/** What an operation lacks: `open` are the kinds of ids without value. */
function explain(operation: SavedOperation, open: readonly string[], refused: boolean, config: Config, isSignedIn: boolean): string {
  const { choose, needs } = operation
  const unknown = open.filter((kind) => kind !== CHOOSE)
  const hidden = unknown.filter((kind) => kind !== 'user')
  return [
    open.includes(CHOOSE) && choose,
    hidden.length > 0 && `The site shows you no ${hidden.map((kind) => NAMES[kind] ?? kind).join(' and no ')}.`,
    unknown.includes('user') && 'The gateway does not know your id in the site.',
    refused && (needs ? `This operation needs ${needs.who}, because ${needs.why}.` : FOR_SOME),
    (refused || unknown.length > 0) && whatToDo(operation, unknown.length > 0, config, isSignedIn),
  ]
    .filter(Boolean)
    .join(' ')
}

const NAMES: Readonly<Record<string, string>> = { author: 'author of a course', priceType: 'price type' }

const FOR_SOME = 'The site shows these records to some users only, for example to administrators.'

function whatToDo(operation: SavedOperation, needsIds: boolean, { users, signIn }: Config, isSignedIn: boolean): string {
  const name = userOf(operation, users)?.name
  if (name) return `Choose ${name} at the top right.`
  if (signIn.length === 0) return needsIds ? 'Put ids into the variables.' : ''
  const as = isSignedIn ? 'Change the user at the top right to one who may see more' : 'Sign in at the top right as a user who may see more'
  return `${as}${needsIds ? ' and open the operation again, or put ids into the variables' : ''}.`
}
