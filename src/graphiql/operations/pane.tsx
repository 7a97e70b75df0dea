import { type GraphiQLPlugin, pick, useGraphiQL } from '@graphiql/react'
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { objectIn } from '../headers.js'
import { useCollection } from '../page-context.js'
import { isNarrow, togglePane } from '../panes.js'
import { useTab } from '../tab-state.js'
import { Text } from '../text.js'
import { count } from '../words.js'
import type { SavedOperation } from './collection.js'
import { type Folder, folderOf, search } from './folders.js'
import { useOpenOperation } from './open.js'
import './operations.css'

const TITLE = 'Operations'

/** The pane of the sidebar with the saved operations. */
export const OPERATIONS_PLUGIN: GraphiQLPlugin = { title: TITLE, icon: Icon, content: Pane }

function Icon() {
  return (
    <svg height="1em" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" strokeLinecap="round" />
    </svg>
  )
}

/** Folders are closed at first if there are more operations than these. */
const FEW = 50

function Pane() {
  const collection = useCollection()
  const { operations, problem } = collection.current()
  const { open, opening } = useOpenOperation()
  const { queryEditor, storage } = useGraphiQL(pick('queryEditor', 'storage'))
  const current = collection.find(useTab()?.query ?? null)
  const [text, setText] = useState('')
  const [toggled, setToggled] = useState(() => objectIn(storage.get('openFolders')) ?? {})
  const list = useRef<HTMLDivElement>(null)
  const root = useMemo(() => folderOf(operations), [operations])
  const found = useMemo(() => (text.trim() === '' ? undefined : search(operations, text.trim())), [operations, text])
  useEffect(() => void collection.read(), [collection])

  const choose = async (operation: SavedOperation) => {
    await open(operation)
    if (!isNarrow()) return
    togglePane(TITLE, false)
    queryEditor?.getContainerDomNode().focus()
  }

  const isOpen = ({ path }: Folder): boolean => Boolean(toggled[path] ?? operations.length <= FEW)
  const toggle = (folder: Folder) => {
    const next = { ...toggled, [folder.path]: !isOpen(folder) }
    setToggled(next)
    storage.set('openFolders', JSON.stringify(next))
  }

  const listOf = (some: readonly SavedOperation[]): ReactNode => (
    <ul>
      {some.map((operation) => (
        <li key={operation.name}>
          <button
            type="button"
            className="graphiql-un-styled"
            aria-current={operation === current || undefined}
            aria-busy={operation === opening}
            aria-disabled={opening !== undefined}
            onClick={() => choose(operation)}
          >
            <strong>{operation.title}</strong>
            <span className="operations-description">
              <Text>{operation.description}</Text>
            </span>
            {found && <code>{[operation.folder, operation.name].filter(Boolean).join('/')}</code>}
            <Conditions needs={operation.needs} writes={operation.kind === 'mutation'} />
          </button>
        </li>
      ))}
    </ul>
  )

  const contentsOf = (folder: Folder, level: number): ReactNode => {
    const Heading = `h${Math.min(level, 6)}` as 'h3'
    return (
      <>
        {folder.groups.map(([group, some]) => (
          <Fragment key={group}>
            {group !== '' && <Heading>{group}</Heading>}
            {listOf(some)}
          </Fragment>
        ))}
        {folder.folders.map((inner) => (
          <Fragment key={inner.path}>
            <Heading className="operations-folder">
              <button type="button" className="graphiql-un-styled" aria-expanded={isOpen(inner)} onClick={() => toggle(inner)}>
                {inner.path.slice(inner.path.lastIndexOf('/') + 1)} <span>{count(inner.size, 'operation')}</span>
              </button>
            </Heading>
            {isOpen(inner) && <div className="operations-inside">{contentsOf(inner, level + 1)}</div>}
          </Fragment>
        ))}
      </>
    )
  }

  const buttons = (): HTMLElement[] => [...(list.current?.querySelectorAll('button') ?? [])]

  /** Lets Tab go to one button of the list only: to the one that had the focus last, or to the current one, or to the first one. */
  const setTabStop = () => {
    const first = (selector: string) => list.current?.querySelector(selector)
    const stop = first(':focus') ?? first('[tabindex="0"]') ?? first('[aria-current]') ?? first('button')
    for (const button of buttons()) button.tabIndex = button === stop ? 0 : -1
  }
  useLayoutEffect(setTabStop)

  const keyPressed = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    const field = event.currentTarget.querySelector('input')
    const all = buttons()
    const index = all.indexOf(target)
    const inList: Readonly<Record<string, HTMLElement | null | undefined>> = {
      ArrowUp: all[index - 1] ?? field,
      Home: all[0],
      End: all.at(-1),
      ArrowRight: target.ariaExpanded === 'false' ? target : undefined,
      ArrowLeft:
        target.ariaExpanded === 'true' ? target : target.closest('.operations-inside')?.previousElementSibling?.querySelector('button'),
      Escape: field,
    }
    if (event.key === 'Escape') setText('')
    const to = event.key === 'ArrowDown' ? all[index + 1] : index < 0 ? undefined : inList[event.key]
    if (!to) return
    event.preventDefault()
    if (to === target) to.click()
    else to.focus()
  }

  return (
    <section className="operations" aria-label={TITLE} onKeyDown={keyPressed} onFocus={setTabStop}>
      <h2 className="pane-title">{TITLE}</h2>
      <input
        className="pane-search"
        type="search"
        aria-label="Search operations"
        placeholder="Search operations"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div role="status" className="operations-status">
        {found && <p>{found.length === 0 ? 'No operation has all of these words.' : `${count(found.length, 'operation')} found.`}</p>}
        {problem && <p className="operations-problem">The operations could not be read: {problem}</p>}
      </div>
      <div ref={list} className="operations-list">
        {found ? listOf(found) : contentsOf(root, 3)}
      </div>
    </section>
  )
}

/** Who may run an operation, and whether it changes records. */
export function Conditions({ needs, writes = false }: Pick<SavedOperation, 'needs'> & { writes?: boolean }) {
  if (!needs && !writes) return null
  return (
    <span className="conditions">
      {needs && <span>For {needs.who}</span>}
      {writes && <span className="writes">Changes records</span>}
    </span>
  )
}
