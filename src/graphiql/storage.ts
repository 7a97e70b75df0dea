import type { Storage } from '@graphiql/toolkit'
import { withoutSecrets } from './secrets.js'

const PREFIX = 'graphiql:'

/** What the page uses of a storage of the browser. */
type BrowserStorage = Pick<globalThis.Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/** A tab, or an operation of the history, as GraphiQL stores it. */
type Stored = Record<string, unknown>

/**
 * Wraps the storage of the browser for GraphiQL. It never holds a secret: values of `password` and the like are replaced by `""`, and headers
 * are stored only for demo users, whose credentials are public. What an earlier version stored is cleaned at once.
 */
export function createStorage(storage: BrowserStorage, isDemo: boolean): Storage {
  const clean = (key: string, value: string): string | undefined => {
    const name = key.slice(PREFIX.length)
    if (!key.startsWith(PREFIX)) return undefined
    return Object.hasOwn(KEYS, name) ? KEYS[name]?.(value, isDemo) : keepSetting(value)
  }
  const setItem = (key: string, value: string) => {
    const cleaned = clean(key, value)
    if (cleaned === undefined) storage.removeItem(key)
    else storage.setItem(key, cleaned)
  }
  const keys = () =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter(
      (key): key is string => key?.startsWith(PREFIX) === true,
    )
  for (const key of keys()) setItem(key, storage.getItem(key) ?? '')
  return {
    getItem: (key) => {
      const value = storage.getItem(key)
      return value === null ? null : (clean(key, value) ?? null)
    },
    setItem,
    removeItem: (key) => storage.removeItem(key),
    clear: () => {
      for (const key of keys()) storage.removeItem(key)
    },
    get length() {
      return keys().length
    },
  }
}

/** A storage of the browser, or one in memory where the browser blocks it, which throws when a page reads `localStorage`. */
export function storageOrMemory(open: () => globalThis.Storage): BrowserStorage {
  try {
    const storage = open()
    storage.getItem(PREFIX)
    return storage
  } catch {
    const values = new Map<string, string>()
    return {
      get length() {
        return values.size
      },
      key: (index) => [...values.keys()][index] ?? null,
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    }
  }
}

const keep = (value: string): string => value

const drop = (): undefined => undefined

/** Keeps numbers, true and false of keys that are not in the table: sizes of panes and the like, but no texts. */
const keepSetting = (value: string): string | undefined => (/^(?:true|false|\d+(?:\.\d+)?)$/.test(value) ? value : undefined)

/** What is stored for each key of GraphiQL. Undefined for values that are not stored or cannot be read. */
const KEYS: Readonly<Record<string, (value: string, isDemo: boolean) => string | undefined>> = {
  theme: keep,
  visiblePlugin: keep,
  docExplorerFlex: keep,
  editorFlex: keep,
  secondaryEditorFlex: keep,
  openFolders: keep,
  // The texts of the editors are in the tabs too.
  query: drop,
  variables: drop,
  headers: drop,
  tabState: (value, isDemo) => rewrite(value, 'tabs', (tab) => cleanTab(tab, isDemo)),
  queries: (value, isDemo) => rewrite(value, 'queries', (item) => cleanOperation(item, isDemo)),
  favorites: (value, isDemo) => rewrite(value, 'favorites', (item) => cleanOperation(item, isDemo)),
}

/** Rewrites the objects of a list in a JSON object. */
function rewrite(json: string, list: string, change: (item: Stored) => Stored): string | undefined {
  try {
    const value = JSON.parse(json)
    const { activeTabIndex } = value
    return JSON.stringify({ [list]: value[list].map(change), ...(activeTabIndex !== undefined && { activeTabIndex }) })
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The texts of a tab or of an operation of the history without secrets. Without headers, unless they are those of a demo user. */
export function cleanTexts(item: Stored, isDemo: boolean): Stored {
  const { query, variables } = withoutSecrets({ query: textOf(item.query), variables: textOf(item.variables) })
  return {
    query: typeof item.query === 'string' ? query : item.query,
    variables: typeof item.variables === 'string' ? variables : item.variables,
    headers: isDemo ? item.headers : item.headers === undefined ? undefined : null,
  }
}

function cleanOperation(item: Stored, isDemo: boolean): Stored {
  const { operationName, label, favorite } = item
  return { ...cleanTexts(item, isDemo), operationName, label, favorite }
}

/** GraphiQL takes the title of a tab from its text, where a word of a secret may follow the word `query`. */
function cleanTab(tab: Stored, isDemo: boolean): Stored {
  const texts = cleanTexts(tab, isDemo)
  const isInText = (name: unknown) => typeof name === 'string' && name !== '' && textOf(texts.query).includes(name)
  const { id, title, operationName } = tab
  return {
    id,
    hash: null,
    ...texts,
    title: isInText(title) ? title : '<untitled>',
    operationName: isInText(operationName) ? operationName : null,
    response: null,
  }
}
