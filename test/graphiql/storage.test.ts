import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createStorage, storageOrMemory } from '../../src/graphiql/storage.js'

/** The storage of a browser. */
class Memory implements Storage {
  [name: string]: any
  readonly #values = new Map<string, string>()
  get length(): number {
    return this.#values.size
  }
  key(index: number): string | null {
    return [...this.#values.keys()][index] ?? null
  }
  getItem(key: string): string | null {
    return this.#values.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    this.#values.set(key, value)
  }
  removeItem(key: string): void {
    this.#values.delete(key)
  }
  clear(): void {
    this.#values.clear()
  }
  get all(): string {
    return JSON.stringify([...this.#values])
  }
}

const HEADERS = '{"Authorization": "Basic of the learner"}'
const operation = {
  query: 'query ($p: String) { course(password: $p, slug: "kept") { a(password: "hunter2") } }',
  variables: '{"p": "hunter2"}',
  headers: HEADERS,
  operationName: null,
}
const cleaned = {
  query: 'query ($p: String) { course(password: $p, slug: "kept") { a(password: "") } }',
  variables: '{"p": ""}',
  operationName: null,
}
const tab = { ...operation, id: '1', title: '<untitled>', hash: JSON.stringify(operation), response: '{"password":"hunter2"}' }
const STORED: Readonly<Record<string, unknown>> = {
  tabState: { tabs: [tab], activeTabIndex: 0, other: 'hunter2' },
  queries: { queries: [{ ...operation, label: 'mine', other: 'hunter2' }] },
  favorites: { favorites: [{ ...operation, favorite: true }] },
}

/** Keys of GraphiQL with values that are stored as they are. */
const PLAIN = {
  theme: 'dark',
  visiblePlugin: 'History',
  openFolders: '{"courses/edit":false}',
  shouldPersistHeaders: 'true',
  editorFlex: '1.5',
}

describe('createStorage', () => {
  it('stores tabs and history without secrets, and without headers', () => {
    const memory = new Memory()
    const storage = createStorage(memory, false)
    for (const [key, value] of Object.entries(STORED)) storage.setItem(`graphiql:${key}`, JSON.stringify(value))
    const read = (key: string) => JSON.parse(storage.getItem(`graphiql:${key}`) ?? '')
    const headers = null
    expect(read('tabState')).toEqual({
      tabs: [{ ...cleaned, headers, id: '1', title: '<untitled>', hash: null, response: null }],
      activeTabIndex: 0,
    })
    expect(read('queries')).toEqual({ queries: [{ ...cleaned, headers, label: 'mine' }] })
    expect(read('favorites')).toEqual({ favorites: [{ ...cleaned, headers, favorite: true }] })
    expect(memory.all).not.toMatch(/hunter2|Basic/)
  })

  it('stores headers in front of the embedded LMS, whose credentials are public', () => {
    const memory = new Memory()
    const storage = createStorage(memory, true)
    for (const [key, value] of Object.entries(STORED)) storage.setItem(`graphiql:${key}`, JSON.stringify(value))
    expect(JSON.parse(storage.getItem('graphiql:tabState') ?? '')).toMatchObject({ tabs: [{ ...cleaned, headers: HEADERS }] })
    expect(JSON.parse(storage.getItem('graphiql:queries') ?? '')).toMatchObject({ queries: [{ ...cleaned, headers: HEADERS }] })
    expect(memory.all).not.toContain('hunter2')
  })

  it('takes no name of a tab from the text of a secret', () => {
    const storage = createStorage(new Memory(), false)
    const query = '{ course(password: "my query hunter2") { id } }'
    const named = { id: '2', title: 'Named', query: 'query Named { a }', variables: null, headers: null, operationName: 'Named' }
    storage.setItem(
      'graphiql:tabState',
      JSON.stringify({ tabs: [{ ...tab, query, title: 'hunter2', operationName: 'hunter2' }, named], activeTabIndex: 1 }),
    )
    expect(JSON.parse(storage.getItem('graphiql:tabState') ?? '')).toMatchObject({
      tabs: [{ title: '<untitled>', operationName: null }, named],
      activeTabIndex: 1,
    })
  })

  it('cleans at once what an earlier version has stored, and removes what it cannot read', () => {
    const memory = new Memory()
    for (const [key, value] of Object.entries(STORED)) memory.setItem(`graphiql:${key}`, JSON.stringify(value))
    for (const [key, value] of Object.entries(PLAIN)) memory.setItem(`graphiql:${key}`, value)
    for (const key of ['query', 'variables', 'headers', 'new']) memory.setItem(`graphiql:${key}`, 'hunter2')
    memory.setItem('other', 'of another program')
    createStorage(memory, false)
    expect(memory.all).not.toMatch(/hunter2|Basic/)
    expect(memory.all).toContain('of another program')
    for (const [key, value] of Object.entries(PLAIN)) expect(memory.getItem(`graphiql:${key}`)).toBe(value)
    memory.setItem('graphiql:tabState', '{"tabs": "hunter2"')
    expect(createStorage(memory, false).getItem('graphiql:tabState')).toBeNull()
    expect(memory.all).not.toContain('hunter2')
  })

  it('counts and clears the keys of GraphiQL only', () => {
    const memory = new Memory()
    memory.setItem('other', 'of another program')
    const storage = createStorage(memory, false)
    for (const [key, value] of Object.entries(PLAIN)) storage.setItem(`graphiql:${key}`, value)
    expect(storage.length).toBe(Object.keys(PLAIN).length)
    storage.removeItem('graphiql:theme')
    expect(storage.getItem('graphiql:theme')).toBeNull()
    storage.clear()
    expect([storage.length, memory.length]).toEqual([0, 1])
  })

  it('knows every key of this version of GraphiQL', () => {
    const sources = ['@graphiql/react/dist', '@graphiql/plugin-history/dist', '@graphiql/toolkit/dist/esm', 'graphiql/dist']
      .map((folder) => new URL(`../../node_modules/${folder}/`, import.meta.url))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((path) => path.endsWith('.js'))
          .map((path) => readFileSync(new URL(path, folder), 'utf8')),
      )
      .join('\n')
    const table = /STORAGE_KEY = \{([^}]*)\}/.exec(sources)?.[1] ?? ''
    const found = [
      ...[...table.matchAll(/: "(\w+)"/g)].map(([, key]) => key),
      ...[...sources.matchAll(/storageKey: "(\w+)"/g)].map(([, key]) => key),
      ...[...sources.matchAll(/QueryStore\(\s*"(\w+)"/g)].map(([, key]) => key),
    ]
    const stored = ['theme', 'visiblePlugin', 'shouldPersistHeaders', 'docExplorerFlex', 'editorFlex', 'secondaryEditorFlex']
    const others = ['tabState', 'queries', 'favorites', 'query', 'variables', 'headers']
    expect([...new Set(found)].sort()).toEqual([...stored, ...others].sort())
    const storage = createStorage(new Memory(), false)
    for (const key of [...stored, ...others]) storage.setItem(`graphiql:${key}`, '1')
    expect(storage.length).toBe(stored.length)
  })

  it('stores numbers, true and false for keys of other parts of the page, and no texts', () => {
    const storage = createStorage(new Memory(), false)
    const stored = (value: string) => {
      storage.setItem('graphiql:paneHeight', value)
      return storage.getItem('graphiql:paneHeight')
    }
    for (const value of ['true', 'false', '0', '240', '1.25']) expect(stored(value)).toBe(value)
    for (const value of ['hunter2', '{"a":1}', '1e5', '12 34', 'truer', '']) expect(stored(value)).toBeNull()
  })
})

describe('storageOrMemory', () => {
  it('is the storage of the browser where that can be read', () => {
    const memory = new Memory()
    expect(storageOrMemory(() => memory)).toBe(memory)
  })

  it.each([
    [
      'throws',
      () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    ],
    ['is null', () => null as unknown as Storage],
  ])('is in memory where reading it %s', (_, read) => {
    const blocked = storageOrMemory(read)
    const storage = createStorage(blocked, false)
    for (const [key, value] of Object.entries(PLAIN)) storage.setItem(`graphiql:${key}`, value)
    expect(storage.length).toBe(Object.keys(PLAIN).length)
    expect(storage.getItem('graphiql:theme')).toBe('dark')
    expect([blocked.key(0), blocked.key(9)]).toEqual(['graphiql:theme', null])
    storage.removeItem('graphiql:theme')
    expect(storage.getItem('graphiql:theme')).toBeNull()
    storage.clear()
    expect(storage.length).toBe(0)
    expect(storageOrMemory(read)).not.toBe(blocked)
  })
})
