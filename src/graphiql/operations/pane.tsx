import { type GraphiQLPlugin, useGraphiQL } from '@graphiql/react'
import { isNarrow, togglePane } from '../panes.js'
import { useTab } from '../tab-state.js'
import { Text } from '../text.js'
import { type Example, GROUPS, isExample } from './collection.js'
import { EXAMPLES } from './list.js'
import { useOpenExample } from './open.js'
import './operations.css'

const TITLE = 'Examples'

/** The pane of the sidebar with all examples. */
export const EXAMPLES_PLUGIN: GraphiQLPlugin = { title: TITLE, icon: Icon, content: Pane }

function Icon() {
  return (
    <svg height="1em" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" strokeLinecap="round" />
    </svg>
  )
}

function Pane() {
  const { open, opening } = useOpenExample()
  const queryEditor = useGraphiQL((state) => state.queryEditor)
  const current = useTab()?.query ?? null

  const choose = async (example: Example) => {
    await open(example)
    if (!isNarrow()) return
    togglePane(TITLE, false)
    queryEditor?.getContainerDomNode().focus()
  }

  return (
    <section className="examples" aria-label={TITLE}>
      <h2 className="pane-title">{TITLE}</h2>
      {GROUPS.map((group) => (
        <section key={group} aria-label={HEADINGS[group]}>
          <h3>{HEADINGS[group]}</h3>
          <ul>
            {EXAMPLES.filter((example) => example.group === group).map((example) => (
              <li key={example.title}>
                <button
                  type="button"
                  className="graphiql-un-styled"
                  aria-current={isExample(current, example) || undefined}
                  aria-busy={opening === example}
                  disabled={opening !== undefined}
                  onClick={() => choose(example)}
                >
                  <strong>{example.title}</strong>
                  <span className="examples-description">
                    <Text>{example.description}</Text>
                  </span>
                  <Conditions example={example} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}

const HEADINGS = { visitor: 'For visitors', learner: 'For learners', editor: 'For editors' } as const

/** Who may run an example, and whether it changes records. */
export function Conditions({ example: { needs, writes } }: { example: Example }) {
  if (!needs && !writes) return null
  return (
    <span className="conditions">
      {needs && <span>For {needs.who}</span>}
      {writes && <span className="writes">Changes records</span>}
    </span>
  )
}
