import { formatShortcutForOS, KEY_MAP, pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import type { ReactNode } from 'react'
import type { Config } from '../config.js'
import type { SavedOperation } from '../operations/collection.js'
import { useOpenOperation } from '../operations/open.js'
import { Conditions, OPERATIONS_PLUGIN } from '../operations/pane.js'
import { useCollection, usePageContext } from '../page-context.js'
import { togglePane } from '../panes.js'
import { useIsSignedIn, useTab } from '../tab-state.js'
import './start.css'

const RUN_KEY = formatShortcutForOS(KEY_MAP.runQuery.key, 'Cmd').replace('-', '+')

/** What the response area shows until the first run of a tab: what this is, what the operation does, and what to try. */
export function Start() {
  const { config } = usePageContext()
  const collection = useCollection()
  const { tabs, isFetching, fetchError, validationErrors, visiblePlugin } = useGraphiQL(
    pick('tabs', 'isFetching', 'fetchError', 'validationErrors', 'visiblePlugin'),
  )
  const isSignedIn = useIsSignedIn()
  const tab = useTab()
  // The response editor shows errors of the schema.
  if (tab?.response || isFetching || fetchError || validationErrors.length > 0) return null
  const operation = collection.find(tab?.query ?? null)
  const operations = OPERATIONS_PLUGIN.title
  return (
    <section className="start" aria-label="Start">
      {tabs.length > 1 ? (
        <h2 className="visually-hidden">What to try</h2>
      ) : (
        <header>
          <h2>lms-graphql</h2>
          <p>Ask a learning-management system for nested data in one request. The gateway answers with as few REST calls as possible.</p>
        </header>
      )}
      <ol>
        <Run operation={operation} isEmpty={!tab?.query?.trim()} config={config} />
        {config.explain ? (
          <Suggestion title="See what it costs">
            Before a run, the line at the bottom says about how many REST calls the query needs. After it, the panel Calls shows when each
            of them was made.
          </Suggestion>
        ) : (
          <Suggestion
            title="Read what a field costs"
            action={<Action onClick={() => togglePane(DOCUMENTATION, true)}>Documentation</Action>}
          >
            The documentation says for each type, field and argument what it means, and how many REST calls it makes.
          </Suggestion>
        )}
        <SignIn config={config} isSignedIn={isSignedIn} />
      </ol>
      {visiblePlugin?.title !== operations && <Action onClick={() => togglePane(operations, true)}>Show all operations</Action>}
    </section>
  )
}

/** The title of the plugin of GraphiQL. */
const DOCUMENTATION = 'Documentation Explorer'

function Run({ operation, isEmpty, config }: { operation: SavedOperation | undefined; isEmpty: boolean; config: Config }) {
  const { run } = useGraphiQLActions()
  const { open, opening } = useOpenOperation()
  const [first] = useCollection().current().operations
  if (isEmpty && first) {
    return (
      <Suggestion
        title={`Open “${first.title}”`}
        action={
          <Action isDisabled={opening !== undefined} onClick={() => open(first)}>
            Open
          </Action>
        }
      >
        {first.description}
      </Suggestion>
    )
  }
  const title = operation ? `Run “${operation.title}”` : 'Run your query'
  const action = (
    <Action isMain onClick={() => run()}>
      Run <kbd>{RUN_KEY}</kbd>
    </Action>
  )
  return (
    <Suggestion title={title} action={action}>
      {operation?.description || 'The editor suggests fields while you type, and marks mistakes.'}
      {operation && <Conditions needs={operation.needs} />}
      {operation?.kind === 'mutation' && (
        <strong className="start-warning">
          It changes records of {config.embedded ? 'the embedded LMS' : 'the site'} when you run it.
        </strong>
      )}
    </Suggestion>
  )
}

function SignIn({ config: { users, signIn }, isSignedIn }: { config: Config; isSignedIn: boolean }) {
  if (users.length > 0) {
    return (
      <Suggestion title="Run it as another user">
        Choose one of {users.length} users at the top right and run it again: each of them gets what the LMS shows to them.
      </Suggestion>
    )
  }
  if (signIn.length > 0 && !isSignedIn)
    return <Suggestion title="Sign in">Sign in at the top right: the site shows more to users it knows.</Suggestion>
  return <Suggestion title="Change the query">The editor suggests fields while you type, and marks mistakes.</Suggestion>
}

function Suggestion({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <li>
      <div>
        <h3>{title}</h3>
        <p>{children}</p>
      </div>
      {action}
    </li>
  )
}

interface ActionProps {
  isMain?: boolean
  isDisabled?: boolean
  onClick: () => void
  children: ReactNode
}

function Action({ isMain = false, isDisabled = false, onClick, children }: ActionProps) {
  return (
    <button type="button" className={isMain ? 'start-action main' : 'start-action'} disabled={isDisabled} onClick={onClick}>
      {children}
    </button>
  )
}
