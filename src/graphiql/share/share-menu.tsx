import { Dialog, KEY_MAP, pick, ToolbarMenu, tryParseJSONC, UnStyledButton, useGraphiQL } from '@graphiql/react'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { operationsOf, parseQuery } from '../calls/places.js'
import { withoutSecrets } from '../secrets.js'
import { LinkError, type SharedOperation, toFragment } from './link.js'
import { CopyError, type SentOperation, toCurl, toTypeScript } from './programs.js'
import './share.css'

const LABEL = 'Share'
/** How long a note about a copy is shown, in milliseconds. */
const NOTE = 5000

/** What the dialog shows. */
interface Shown {
  title: string
  /** What is wrong, or what to do. */
  message: string
  /** A text to copy by hand. */
  text?: string
}

/** The texts of the editors without secrets. */
interface Copied extends SharedOperation {
  /** Whether values were removed. */
  isRedacted: boolean
}

/** A menu that copies the operation of the current tab. No copy has a value of a password or of a header. */
export function ShareMenu({ headers }: { headers: () => Record<string, string> }) {
  const { queryEditor, variableEditor, headerEditor, operationName } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'operationName'),
  )
  const [note, setNote] = useState('')
  const [shown, setShown] = useState<Shown>()
  const button = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    if (note === '') return
    const timer = setTimeout(() => setNote(''), NOTE)
    return () => clearTimeout(timer)
  }, [note])

  const read = (): Copied => {
    const texts = { query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() ?? '' }
    const { query, variables } = withoutSecrets(texts)
    const isRedacted = query !== texts.query || variables !== texts.variables
    return { query, variables, operationName: chosenOperation(query, operationName), isRedacted }
  }

  const toSend = (): SentOperation => {
    const { query, operationName: chosen } = read()
    // Comments in the variables are for the page only.
    const all = JSON.stringify(readJson('variables', variableEditor?.getValue()))
    const { variables } = withoutSecrets({ query: queryEditor?.getValue() ?? '', variables: all })
    const names = [...Object.keys(headers()), ...Object.keys(readJson('headers', headerEditor?.getValue()))]
    const sent = new Map(names.map((name) => [name.toLowerCase(), name]))
    sent.delete('content-type')
    return {
      url: location.origin + location.pathname,
      query,
      variables: JSON.parse(variables),
      operationName: chosen,
      headers: [...sent.values()],
    }
  }

  const copy = async (name: string, write: () => string | Promise<string>) => {
    let text: string
    try {
      text = await write()
    } catch (error) {
      if (!(error instanceof LinkError || error instanceof CopyError)) throw error
      return setShown({ title: `${name} not copied`, message: error.message })
    }
    const left = read().isRedacted ? ' Values of passwords are left out.' : ''
    try {
      await navigator.clipboard.writeText(text)
      setNote(`${name} copied.${left}`)
    } catch {
      // The page is not served over HTTPS, or the browser does not allow it.
      setShown({ title: name, message: `The browser does not let the page copy. Copy the text by hand.${left}`, text })
    }
  }

  const link = async () => location.origin + location.pathname + (await toFragment(read()))
  const copyQuery = () => copy('Query', () => read().query)
  const copyByKey = useEffectEvent(copyQuery)
  useEffect(() => {
    // In place of the action of GraphiQL, which copies the text with the values of passwords.
    const action = queryEditor?.addAction({
      id: 'graphql-copy',
      label: 'Copy Query',
      contextMenuGroupId: 'graphql',
      keybindings: [...KEY_MAP.copyQuery.keybindings],
      run: () => copyByKey(),
    })
    return () => action?.dispose()
  }, [queryEditor])

  const close = () => {
    setShown(undefined)
    // After the dialog has given the focus back to the page.
    setTimeout(() => button.current?.focus())
  }

  return (
    <>
      <ToolbarMenu
        button={
          <UnStyledButton ref={button} type="button" className="graphiql-toolbar-button" aria-label={LABEL} title={LABEL}>
            <svg
              className="graphiql-toolbar-icon"
              viewBox="0 0 24 24"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
              aria-hidden="true"
            >
              <path d="M12 15V4m0 0L8 8m4-4 4 4M5 12v7h14v-7" strokeLinecap="round" strokeLinejoin="round" />
            </svg>
          </UnStyledButton>
        }
      >
        <ToolbarMenu.Item onSelect={() => void copy('Link', link)}>Copy link</ToolbarMenu.Item>
        <ToolbarMenu.Item onSelect={() => void copy('curl command', () => toCurl(toSend()))}>Copy as curl</ToolbarMenu.Item>
        <ToolbarMenu.Item onSelect={() => void copy('TypeScript', () => toTypeScript(toSend()))}>Copy as TypeScript</ToolbarMenu.Item>
        <ToolbarMenu.Item onSelect={() => void copyQuery()}>Copy query</ToolbarMenu.Item>
      </ToolbarMenu>
      <p className="share-note" role="status">
        {note}
      </p>
      <Dialog open={shown !== undefined} onOpenChange={(isOpen) => !isOpen && close()}>
        {shown && <Message {...shown} />}
      </Dialog>
    </>
  )
}

/** The content of a dialog with a message, and a text to copy by hand. */
export function Message({ title, message, text }: Shown) {
  const id = useId()
  return (
    <div className="share-message">
      <div className="dialog-head">
        <Dialog.Title className="dialog-title">{title}</Dialog.Title>
        <Dialog.Close />
      </div>
      <Dialog.Description id={id}>{message}</Dialog.Description>
      {text !== undefined && (
        <textarea
          readOnly
          value={text}
          rows={10}
          aria-label={title}
          aria-describedby={id}
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: The text has the focus when the dialog opens, so that the keys for copying work.
          autoFocus
          onFocus={(event) => event.target.select()}
        />
      )}
    </div>
  )
}

/** The name of the operation that is sent, if the document has several. */
function chosenOperation(query: string, operationName: string | undefined): string | undefined {
  const operations = operationsOf(parseQuery(query))
  return operations.length > 1 && operations.some(({ name }) => name?.value === operationName) ? operationName : undefined
}

/** The object in an editor for JSON. */
function readJson(name: string, text: string | undefined): Record<string, unknown> {
  try {
    return tryParseJSONC(text) ?? {}
  } catch (error) {
    throw new CopyError(`The ${name} ${error instanceof Error ? error.message : error}`)
  }
}
