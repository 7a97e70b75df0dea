import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { parseSync } from 'vite'

export interface DeclarationFolders {
  /** Where `tsc` has written the declarations of all modules. */
  readonly from: string
  /** Where those that programs need are written. */
  readonly to: string
  /** The public entries, without ending. */
  readonly entries: readonly string[]
}

/**
 * Copies the declarations that the public entries need, statement by statement. A module that exports one public type and imports a library
 * for its other types does not make programs install that library.
 */
export function writeDeclarations({ from, to, entries }: DeclarationFolders): void {
  const files = new DeclarationFiles((path) => readFileSync(join(from, path), 'utf8'))
  for (const entry of entries) files.needAll(`${entry}.d.ts`)
  rmSync(to, { recursive: true, force: true })
  for (const [path, text] of files.texts()) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeFileSync(join(to, path), text)
  }
}

type Node = { readonly type: string; readonly start: number; readonly end: number } & { readonly [key: string]: any }

/** What a name of a module stands for in another module; `*` is the whole module. */
interface Binding {
  readonly source: string
  readonly name: string
}

/** A top-level statement, other than imports and exports of names. */
interface Declared {
  readonly text: string
  readonly node: Node
  /** Whether it adds to the types of other modules. */
  readonly isAmbient: boolean
}

const nameOf = (node: Node): string => node.name ?? node.value

/** All nodes below a node. Names of members are left out: they refer to nothing. */
function* below(node: Node): Generator<Node> {
  yield node
  for (const [key, value] of Object.entries(node)) {
    if (key === 'key' && node.computed !== true) continue
    for (const child of [value].flat()) if (typeof child?.type === 'string') yield* below(child)
  }
}

function namesIn(declaration: Node): string[] {
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.map(({ id }: Node) => nameOf(id))
  return declaration.id ? [nameOf(declaration.id)] : []
}

/** One module, and what of it is needed. */
class DeclarationFile {
  readonly imports = new Map<string, Binding>()
  /** Exports of names: those of other modules, and of names of this one. */
  readonly exports = new Map<string, Binding | string>()
  readonly stars: string[] = []
  /** Modules that are imported without names, and packages. */
  readonly effects: string[] = []
  readonly declared = new Map<string, Declared[]>()
  readonly statements: Declared[] = []
  readonly kept = new Set<Declared>()
  readonly keptImports = new Set<string>()
  readonly keptExports = new Set<string>()
  readonly keptStars = new Set<string>()

  constructor(
    readonly path: string,
    source: string,
  ) {
    const { program, errors } = parseSync(path, source, { lang: 'dts' })
    if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
    let end = 0
    for (const node of program.body as unknown as Node[]) {
      this.read(node, source.slice(end, node.end))
      end = node.end
    }
  }

  private read(node: Node, text: string): void {
    const source: string | undefined = node.source?.value
    if (node.type === 'ImportDeclaration') {
      if (node.specifiers.length === 0) this.effects.push(source as string)
      for (const { type, local, imported } of node.specifiers as Node[]) {
        const name = { ImportDefaultSpecifier: 'default', ImportNamespaceSpecifier: '*' }[type] ?? nameOf(imported)
        this.imports.set(nameOf(local), { source: source as string, name })
      }
    } else if (node.type === 'ExportAllDeclaration') {
      if (node.exported) this.exports.set(nameOf(node.exported), { source: source as string, name: '*' })
      else this.stars.push(source as string)
    } else if (node.type === 'ExportNamedDeclaration' && !node.declaration) {
      for (const { local, exported } of node.specifiers as Node[])
        this.exports.set(nameOf(exported), source === undefined ? nameOf(local) : { source, name: nameOf(local) })
    } else this.declare(node, text)
  }

  private declare(node: Node, text: string): void {
    const isExport = node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration'
    const declaration: Node = isExport ? node.declaration : node
    const names = node.type === 'ExportDefaultDeclaration' ? ['default', ...namesIn(declaration)] : namesIn(declaration)
    const isAmbient = declaration.type === 'TSModuleDeclaration' && (declaration.kind === 'global' || declaration.id.type === 'Literal')
    const statement = { text, node: declaration, isAmbient }
    this.statements.push(statement)
    for (const name of isAmbient ? [] : names) this.declared.set(name, [...(this.declared.get(name) ?? []), statement])
  }

  /** The needed statements as text. */
  text(isWritten: (source: string) => boolean): string {
    const listed = [...this.keptImports].map((local) => {
      const { source, name } = this.imports.get(local) as Binding
      if (name === '*') return `import type * as ${local} from '${source}'`
      if (name === 'default') return `import type ${local} from '${source}'`
      return `import type { ${name === local ? name : `${name} as ${local}`} } from '${source}'`
    })
    const exported = [...this.keptExports].map((name) => {
      const to = this.exports.get(name) as Binding | string
      if (typeof to === 'string') return `export { ${to === name ? name : `${to} as ${name}`} }`
      if (to.name === '*') return `export * as ${name} from '${to.source}'`
      return `export { ${to.name === name ? name : `${to.name} as ${name}`} } from '${to.source}'`
    })
    const parts = [
      ...this.effects.filter(isWritten).map((source) => `import '${source}'`),
      ...listed,
      ...[...this.keptStars].map((source) => `export * from '${source}'`),
      ...exported,
      ...this.statements.filter((statement) => this.kept.has(statement)).map(({ text }) => text.trim()),
      // Without it, all declarations of a module are exports.
      'export {}',
    ]
    return `${parts.join('\n')}\n`
  }
}

const isRelative = (source: string): boolean => source.startsWith('.')

class DeclarationFiles {
  private readonly files = new Map<string, DeclarationFile>()

  constructor(private readonly read: (path: string) => string) {}

  /** Marks everything that a module exports. */
  needAll(path: string): void {
    const file = this.file(path)
    for (const name of [...file.exports.keys(), ...file.declared.keys()]) this.need(path, name)
    for (const source of file.stars) {
      file.keptStars.add(source)
      if (isRelative(source)) this.needAll(this.resolve(path, source))
    }
  }

  /** The text of each module of which something is needed. */
  *texts(): Generator<readonly [path: string, text: string]> {
    const written = [...this.files.values()].filter((file) => this.isNeeded(file, new Set()))
    for (const file of written)
      yield [file.path, file.text((source) => !isRelative(source) || written.some(({ path }) => path === this.resolve(file.path, source)))]
  }

  private isNeeded(file: DeclarationFile, seen: Set<DeclarationFile>): boolean {
    if (seen.has(file)) return false
    seen.add(file)
    if (file.kept.size > 0 || file.keptExports.size > 0 || file.keptStars.size > 0) return true
    return file.effects.some((source) => !isRelative(source) || this.isNeeded(this.file(this.resolve(file.path, source)), seen))
  }

  private file(path: string): DeclarationFile {
    const known = this.files.get(path)
    if (known) return known
    const file = new DeclarationFile(path, this.read(path))
    this.files.set(path, file)
    // What a module adds to types of others counts for everyone who imports the module.
    for (const statement of file.statements) if (statement.isAmbient) this.keep(file, statement)
    for (const source of file.effects) if (isRelative(source)) this.file(this.resolve(path, source))
    return file
  }

  private resolve(path: string, source: string): string {
    return posix.join(posix.dirname(path), source).replace(/\.js$/, '.d.ts')
  }

  /** Marks an export of a module. */
  private need(path: string, name: string): void {
    const file = this.file(path)
    const exported = file.exports.get(name)
    if (exported !== undefined) {
      if (file.keptExports.has(name)) return
      file.keptExports.add(name)
      if (typeof exported === 'string') this.needLocal(file, exported)
      else this.follow(file, exported)
    } else if (file.declared.has(name)) this.needLocal(file, name)
    else
      for (const source of file.stars) {
        file.keptStars.add(source)
        this.follow(file, { source, name })
      }
  }

  private follow({ path }: DeclarationFile, { source, name }: Binding): void {
    if (!isRelative(source)) return
    if (name === '*') this.needAll(this.resolve(path, source))
    else this.need(this.resolve(path, source), name)
  }

  /** Marks what a name means inside of a module. Names of the language and of globals mean nothing here. */
  private needLocal(file: DeclarationFile, name: string): void {
    for (const statement of file.declared.get(name) ?? []) this.keep(file, statement)
    const imported = file.imports.get(name)
    if (!imported || file.keptImports.has(name)) return
    file.keptImports.add(name)
    this.follow(file, imported)
  }

  private keep(file: DeclarationFile, statement: Declared): void {
    if (file.kept.has(statement)) return
    file.kept.add(statement)
    for (const node of below(statement.node)) {
      if (node.type === 'Identifier') this.needLocal(file, nameOf(node))
      if (node.type === 'TSImportType') {
        const [first] = node.qualifier ? [...below(node.qualifier)].filter(({ type }) => type === 'Identifier') : []
        this.follow(file, { source: node.source.value, name: first ? nameOf(first) : '*' })
      }
    }
  }
}
