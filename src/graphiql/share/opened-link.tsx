import { Dialog, type MonacoEditor, pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { operationsOf, parseQuery } from '../calls/places.js'
import type { Runs } from '../calls/runs.js'
import { useTab, useTabTexts } from '../tab-state.js'
import { fromFragment, LinkError, type SharedOperation } from './link.js'
import { Message } from './share-menu.js'
import './share.css'

const NOTICE = 'From a link, and not run yet. Read it before you run it.'
const WRITES = 'From a link, and not run yet. It has a mutation: running it changes data of the site.'

/**
 * Opens the operation in the fragment of the address in a tab of its own, at the start and when the fragment changes. It is never run. Until
 * the person runs it, a notice above the query says where it comes from.
 */
export function OpenedLink({ runs }: { runs: Runs }) {
  const { setOperationName } = useGraphiQLActions()
  const texts = useTabTexts()
  const tab = useTab()
  const { queryEditor, variableEditor, headerEditor } = useGraphiQL(pick('queryEditor', 'variableEditor', 'headerEditor'))
  const [waiting, setWaiting] = useState<SharedOperation>()
  const [isOpened, setOpened] = useState(false)
  const [problem, setProblem] = useState('')
  const [unread, setUnread] = useState<ReadonlySet<string>>(new Set())

  useEffect(() => {
    const read = async () => {
      const { hash } = location
      try {
        const operation = await fromFragment(hash)
        if (operation) setWaiting(operation)
        else return
      } catch (error) {
        if (!(error instanceof LinkError)) throw error
        setProblem(error.message)
      }
      // A reload opens no second tab.
      if (location.hash === hash) history.replaceState(history.state, '', location.pathname + location.search)
    }
    void read()
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])

  const hasEditors = queryEditor && variableEditor && headerEditor
  const open = useEffectEvent(({ query, variables, operationName }: SharedOperation) => {
    setWaiting(undefined)
    texts.open({ query, variables, headers: '' })
    if (operationName) setOperationName(operationName)
    setOpened(true)
  })
  useEffect(() => {
    if (waiting && hasEditors) open(waiting)
  }, [waiting, hasEditors])

  const hasRun = useSyncExternalStore(runs.subscribe, () => runs.of(tab?.id) !== undefined)
  useEffect(() => {
    if (!tab || !isOpened) return
    setOpened(false)
    setUnread((ids) => new Set(ids).add(tab.id))
  }, [tab, isOpened])

  const isUnread = tab !== undefined && !hasRun && unread.has(tab.id)
  const text = isUnread ? (hasMutation(tab.query ?? '') ? WRITES : NOTICE) : ''
  return (
    <>
      <p className="visually-hidden" role="status">
        {text}
      </p>
      {isUnread && queryEditor && <LinkNotice key={tab.id} editor={queryEditor} text={text} isWarning={text === WRITES} />}
      <Dialog open={problem !== ''} onOpenChange={(open) => !open && setProblem('')}>
        <Message title="The link was not opened" message={problem} />
      </Dialog>
    </>
  )
}

/** A text above the first line of an editor. */
function LinkNotice({ editor, text, isWarning }: { editor: MonacoEditor; text: string; isWarning: boolean }) {
  const [node] = useState(() => document.createElement('div'))
  useEffect(() => {
    const zone = { afterLineNumber: 0, heightInPx: 40, domNode: node, ordinal: 0 }
    let id = ''
    editor.changeViewZones((zones) => {
      id = zones.addZone(zone)
    })
    // The text may take several lines in a narrow editor.
    const observer = new ResizeObserver(([entry]) => {
      const height = Math.ceil(entry?.borderBoxSize[0]?.blockSize ?? 0)
      if (height === 0 || height === zone.heightInPx) return
      zone.heightInPx = height
      editor.changeViewZones((zones) => zones.layoutZone(id))
    })
    const content = node.firstElementChild
    if (content) observer.observe(content)
    editor.setScrollTop(0)
    return () => {
      observer.disconnect()
      editor.changeViewZones((zones) => zones.removeZone(id))
    }
  }, [editor, node])
  return createPortal(
    <div className="link-notice-box">
      <div className={isWarning ? 'link-notice is-warning' : 'link-notice'}>{text}</div>
    </div>,
    node,
  )
}

function hasMutation(query: string): boolean {
  const document = parseQuery(query)
  return document ? operationsOf(document).some(({ operation }) => operation === 'mutation') : /\bmutation\b/.test(query)
}
