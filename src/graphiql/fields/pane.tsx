import './fields.css'
import { useGraphiQLActions } from '@graphiql/react'
import { Kind, type OperationTypeNode } from 'graphql'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { plain } from '../text.js'
import { costOf } from './cost.js'
import { Details } from './details.js'
import { tick, untick } from './edits.js'
import { idOf, type Row, rowsOf } from './rows.js'
import { type Definition, definitionsOf, type Parsed } from './scope.js'
import { type EditedDocument, useDocument } from './use-document.js'

/** The tree of fields, for the operation or the fragment at the cursor. */
export default function Pane() {
  const document = useDocument()
  return (
    <section className="fields" aria-label="Fields">
      <h2 className="pane-title">Fields</h2>
      {document ? <Fields document={document} /> : <p className="fields-hint">The fields appear when the query has no syntax errors.</p>}
    </section>
  )
}

function Fields({ document }: { document: EditedDocument }) {
  const { editor, parsed, target, isBroken } = document
  const { run } = useGraphiQLActions()
  const [search, setSearch] = useState('')
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [active, setActive] = useState('')
  const tree = useRef<HTMLDivElement>(null)
  const treeId = useId()
  // The order of fields stays while they are ticked here, and is made anew when the text is changed elsewhere.
  const kept = useRef({ text: parsed.text, order: new Map<string, readonly string[]>() })
  if (kept.current.text !== parsed.text) kept.current = { text: parsed.text, order: new Map() }
  const { order } = kept.current
  const { rows, isCut } = useMemo(() => rowsOf(parsed, target, toggled, search.trim(), order), [parsed, target, toggled, search, order])
  const current = rows.find(({ id }) => id === active) ?? rows[0]
  // Ids of elements must not have spaces, which keys such as `... on Course` have.
  const elementId = (index: number): string => `${treeId}-${index}`

  useEffect(() => {
    if (current) tree.current?.querySelector(`[data-id="${CSS.escape(current.id)}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [current])

  const toggle = ({ id, isExpanded }: Row): void => setToggled(new Map(toggled).set(id, !isExpanded))

  const change = ({ path, isTicked, isFixed, id }: Row): void => {
    setActive(id)
    if (isFixed) return
    const after = document.edit((now, into) => {
      const made = isTicked ? untick(now, into, path) : tick(now, into, path)
      if (made) setActive(idOf(made.path))
      return made?.edits
    })
    if (after) kept.current.text = after.text
  }

  const keyPressed = (event: KeyboardEvent): void => {
    const key = event.key.toLowerCase()
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && event.key === 'Enter') run()
    else if (isCommand && (key === 'z' || key === 'y')) editor.trigger('fields', key === 'y' || event.shiftKey ? 'redo' : 'undo', null)
    else if (isCommand || event.altKey || !current || !pressed(event.key, current)) return
    event.preventDefault()
  }

  /** Returns whether the key does something in the tree. */
  const pressed = (key: string, row: Row): boolean => {
    const index = rows.indexOf(row)
    const go = (to: Row | undefined): true => {
      if (to) setActive(to.id)
      return true
    }
    switch (key) {
      case 'ArrowDown':
        return go(rows[index + 1])
      case 'ArrowUp':
        return go(rows[index - 1])
      case 'Home':
        return go(rows[0])
      case 'End':
        return go(rows.at(-1))
      case 'ArrowRight':
        if (row.isExpanded === false) toggle(row)
        else if (row.isExpanded) go(rows[index + 1])
        return true
      case 'ArrowLeft':
        if (row.isExpanded) toggle(row)
        else go(rows.find(({ id }) => id === idOf(row.path.slice(0, -1))))
        return true
      case ' ':
      case 'Enter':
        change(row)
        return true
    }
    if (key.length !== 1) return false
    const after = [...rows.slice(index + 1), ...rows.slice(0, index)]
    return go(after.find(({ entry }) => entry.name.toLowerCase().startsWith(key.toLowerCase())))
  }

  return (
    <>
      <Chooser document={document} />
      <input
        className="pane-search"
        type="search"
        aria-label="Search fields"
        placeholder="Search fields"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
          event.preventDefault()
          tree.current?.focus()
          setActive(rows.find(({ isFound }) => isFound)?.id ?? active)
        }}
      />
      {isBroken && <p className="fields-hint fields-broken">The query has a syntax error. The tree shows the query before it.</p>}
      <div
        ref={tree}
        className="fields-tree"
        role="tree"
        tabIndex={0}
        aria-label={`Fields of ${nameOf(target)}`}
        aria-multiselectable="true"
        aria-activedescendant={current && elementId(rows.indexOf(current))}
        onKeyDown={keyPressed}
      >
        {rows.map((row, index) => (
          <Line
            key={row.id}
            elementId={elementId(index)}
            row={row}
            isActive={row === current}
            isBroken={isBroken}
            onToggle={toggle}
            onChange={change}
          />
        ))}
      </div>
      <p className="fields-hint" role="status">
        {rows.length === 0 && 'No field has this name.'}
        {isCut && 'More fields have such a name. Type more of it.'}
      </p>
      {current && <Details key={current.id} row={current} document={document} />}
    </>
  )
}

/** One line of the tree. */
function Line(props: {
  elementId: string
  row: Row
  isActive: boolean
  isBroken: boolean
  onToggle: (row: Row) => void
  onChange: (row: Row) => void
}) {
  const { elementId, row, isActive, isBroken, onToggle, onChange } = props
  const { entry, id, isExpanded, isTicked, isFixed } = row
  const cost = costOf(entry.field?.description)
  const isDeprecated = entry.field?.deprecationReason != null
  return (
    // Keys are handled by the tree, which has the focus.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <div
      role="treeitem"
      id={elementId}
      data-id={id}
      className={`fields-row${isActive ? ' fields-active' : ''}${isDeprecated ? ' fields-deprecated' : ''}`}
      style={{ paddingInlineStart: `calc(${row.path.length - 1} * var(--fields-step))` }}
      tabIndex={-1}
      title={plain(entry.field?.description ?? '')}
      aria-level={row.path.length}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-expanded={isExpanded}
      aria-checked={isTicked}
      aria-disabled={isFixed || isBroken || undefined}
      aria-describedby={isActive ? 'fields-description' : undefined}
      onMouseDown={(event) => {
        event.preventDefault()
        event.currentTarget.parentElement?.focus({ preventScroll: true })
      }}
      onClick={() => onChange(row)}
    >
      <span
        className="fields-arrow"
        aria-hidden="true"
        onClick={(event) => {
          if (isExpanded === undefined) return
          event.stopPropagation()
          onToggle(row)
        }}
      />
      <span className="fields-box" aria-hidden="true" />
      <span className="fields-name">
        {entry.field && entry.key !== entry.name && isTicked ? `${entry.key}: ${entry.name}` : labelOf(row)}
      </span>
      {entry.field && <span className="fields-type">{String(entry.field.type)}</span>}
      {isDeprecated && <span className="fields-mark">deprecated</span>}
      {isFixed && entry.fragments.length > 0 && <span className="fields-mark">in {entry.fragments.join(', ')}</span>}
      {cost && <span className="fields-cost">{cost}</span>}
    </div>
  )
}

const labelOf = ({ entry }: Row): string => (entry.field ? entry.name : entry.key)

/** The operations and fragments of the document, and new operations. */
function Chooser({ document: { parsed, target, choose } }: { document: EditedDocument }) {
  const definitions = definitionsOf(parsed)
  const news = newOperations(parsed)
  if (typeof target === 'string' && !news.includes(target)) news.push(target)
  return (
    <select
      className="fields-chooser"
      aria-label="Operation"
      value={typeof target === 'string' ? target : definitions.indexOf(target)}
      onChange={({ target: { value } }) => choose(definitions[Number(value)] ?? (value as OperationTypeNode.QUERY))}
    >
      {definitions.map((definition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: definitions have no other identity.
        <option key={index} value={index}>
          {nameOf(definition)}
        </option>
      ))}
      {news.map((operation) => (
        <option key={operation} value={operation}>
          new {operation}
        </option>
      ))}
    </select>
  )
}

/** Kinds of operations that can be added. An operation without a name must be the only one. */
function newOperations(parsed: Parsed): string[] {
  const isTaken = definitionsOf(parsed).some((each) => each.kind === Kind.OPERATION_DEFINITION && !each.name)
  return isTaken ? [] : parsed.schema.getMutationType() ? ['query', 'mutation'] : ['query']
}

function nameOf(target: Definition | string): string {
  if (typeof target === 'string') return `new ${target}`
  if (target.kind === Kind.FRAGMENT_DEFINITION) return `fragment ${target.name.value}`
  return target.name ? `${target.operation} ${target.name.value}` : `${target.operation} without a name`
}
