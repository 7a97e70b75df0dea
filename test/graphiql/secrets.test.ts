import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '../../src/graphiql/secrets.js'
import { World } from '../support/world.js'

/** A value that must not be in any result. */
const MARK = 'hunter2'

const query = (text: string) => withoutSecrets({ query: text, variables: '' }).query
const variables = (text: string, of = '{ a }') => withoutSecrets({ query: of, variables: text }).variables

const QUERIES: Readonly<Record<string, string>> = {
  // Arguments and input fields
  '{ course(id: 1, password: "hunter2") { title } }': '{ course(id: 1, password: "") { title } }',
  '{ course(password:"""\n  hunter2\n""" id: 1) { title } }': '{ course(password:"" id: 1) { title } }',
  '{ course(password: 1234567) { title } }': '{ course(password: "") { title } }',
  'mutation { createCourse(input: { title: "T", password: "hunter2", points: 1 }) { __typename } }':
    'mutation { createCourse(input: { title: "T", password: "", points: 1 }) { __typename } }',
  '{ a(where: { any: [{ apiKey: "hunter2" }, { clientSecret: "hunter2" }] }) }':
    '{ a(where: { any: [{ apiKey: "" }, { clientSecret: "" }] }) }',
  '{ a(passwords: ["hunter2", { b: "hunter2", c: hunter2 }], d: "kept") }': '{ a(passwords: ["", { b: "", c: "" }], d: "kept") }',
  '{ a @b(token: "hunter2") c }': '{ a @b(token: "") c }',
  // Values that are no secrets
  '{ a(password: null, b: "kept") password }': '{ a(password: null, b: "kept") password }',
  '{ a(password: "", b: "kept") }': '{ a(password: "", b: "kept") }',
  '{ password: title token { a } key(id: "kept") { b } }': '{ password: title token { a } key(id: "kept") { b } }',
  '{ a(search: "the password: kept") }': '{ a(search: "the password: kept") }',
  // Variables
  'query ($password: String! = "hunter2") { a }': 'query ($password: String! = "") { a }',
  'query ($p: String = "hunter2", $q: String = "kept") { a(password: $p, b: $q) }':
    'query ($p: String = "", $q: String = "kept") { a(password: $p, b: $q) }',
  'query ($password: String, $id: ID = "kept") { a(id: $id) }': 'query ($password: String, $id: ID = "kept") { a(id: $id) }',
  'query ($p: [String!] = ["hunter2"]) { a(input: { passwords: [$p] }) }': 'query ($p: [String!] = [""]) { a(input: { passwords: [$p] }) }',
  // Comments
  '{ a(\n  # password: "hunter2"\n  id: 1) }': '{ a(\n  # password: ""\n  id: 1) }',
  '{ a(\n  # password: """\n  # hunter2\n  # """\n  id: 1) }': '{ a(\n  # password: ""\n  id: 1) }',
  '# It\'s the password: hunter2, "a"\n{ a }': '# It\'s the password:""\n{ a }',
  "# Needs a password: see the documentation\n# It's short\n{ a(b: 1) }": '# Needs a password:""\n{ a(b: 1) }',
  '# Reads a course with its `password`: hint\n{ a }': '# Reads a course with its `password`: hint\n{ a }',
  // Texts that do not parse
  '{ course(password: "hunter2"': '{ course(password: ""',
  '{ course(password "hunter2") }': '{ course(password "") }',
  '{ course(password = "hunter2") }': '{ course(password = "") }',
  '{ course(password: hunter2, id: 1) { title } }': '{ course(password: "", id: 1) { title } }',
  '{ course(password: correct hunter2 staple!, slug: "kept") }': '{ course(password: "", slug: "kept") }',
  '{ course(password: "a" "hunter2") }': '{ course(password: "") }',
  '{"query": "{ a }", "password": "hunter2"}': '{"query": "{ a }", "password": ""}',
  // Texts that the lexer cannot read
  '{ course(password: "hunter2\n) { title } }': '{ course(password:""',
  '{ course(id: 1, password:\n "hunter2) }': '{ course(id: 1, password:""',
  '{ course(password: """hunter2\n': '{ course(password:""',
  '{ a(slug: "b, password: "hunter2") }': '{ a(slug: "b, password:""',
  '{ a(slug: """b\n c(password: "hunter2") content: """ }': '{ a(slug: "" }',
  '{ a(slug: """b\n c(password: "hunter2") content: """d""" }': '{ a(slug: """b\n c(password:""',
  '{ a(content: """The best password: a long one.""") }': '{ a(content: """The best password: a long one.""") }',
  '{ a(password: 12hunter2) }': '{ a(password:""',
  'query ($p: String = "hunter2") { a(password: $p, slug: "b) }': 'query ($p: String =""',
  '{ a(slug: "b) }': '{ a(slug: "b) }',
  '': '',
}

const VARIABLES: Readonly<Record<string, string>> = {
  '{"password": "hunter2", "id": 7}': '{"password": "", "id": 7}',
  '{\n  "input": { "title": "kept", "Password": "hunter2" }\n}': '{\n  "input": { "title": "kept", "Password": "" }\n}',
  '{"a": [{"apiKey": ["hunter2", 12], "b": {"c": null}}]}': '{"a": [{"apiKey": [""], "b": {"c": null}}]}',
  '{"pass\\u0077ord": "hunter2"}': '{"pass\\u0077ord": ""}',
  '{"password": {"old": "hunter2", "on": true}, "b": "kept"}': '{"password": {"old": "", "on": true}, "b": "kept"}',
  '{"password": "a\\"hunter2\\/"}': '{"password": ""}',
  '{"id": 7}': '{"id": 7}',
  // GraphiQL accepts comments and commas at the end.
  '{"password": "hunter2", }': '{"password": "", }',
  '{"id": 7, // the password: hunter2\n "password": "hunter2"}': '{"id": 7, // the password:""',
  '{"id": 7, "password": "hunter2': '{"id": 7, "password":""',
  "{'password': 'hunter2'}": '{\'password\':""',
  '': '',
}

describe('withoutSecrets', () => {
  it.each(Object.entries(QUERIES))('query %j', (text, expected) => {
    expect(query(text)).toBe(expected)
    expect(query(expected)).toBe(expected)
  })

  it.each(Object.entries(VARIABLES))('variables %j', (text, expected) => {
    expect(variables(text)).toBe(expected)
  })

  it('finds variables by their use, whatever their name', () => {
    const of = 'query ($p: String, $q: [String], $r: String) { a(password: $p, b: { tokens: [$q, "hunter2"] }, c: $r) }'
    expect(variables('{"p": "hunter2", "q": ["hunter2"], "r": {"p": "kept"}}', of)).toBe('{"p": "", "q": [""], "r": {"p": "kept"}}')
    expect(variables('{"p": "hunter2", "r": 1', of)).not.toContain(MARK)
    expect(variables('{"r": 1, "p": "hunter2', of)).toBe('{"r": 1, "p":""')
    expect(variables('{"p": "hunter2"}', '{ a(password: $p, slug: "b) }')).toBe('{"p": ""}')
    expect(variables('{"p": "kept"}', '{ a(slug: $p) }')).toBe('{"p": "kept"}')
  })

  it('leaves no value of a password in any beginning of a text', () => {
    const whole = [
      'query Q($p: String = "hunter2") {',
      '  a(password: "hunter2", slug: "b") { title }',
      '  # password: "hunter2"',
      '  c(input: { password: """hunter2 "x" """, d: [1] }, key: hunter2) { id }',
      '  e(password: $p)',
      '}',
    ].join('\n')
    // Before the end, nothing tells that `$p` is passed to a password.
    const rest = whole.replace('= "hunter2"', '= ""')
    for (let end = 0; end <= rest.length; end++) expect(query(rest.slice(0, end)), rest.slice(0, end)).not.toMatch(/hun/)
    expect(query(whole)).not.toMatch(/hun/)
    const json = '{ "a": {"password": "hunter2"}, "b": [{"token": "hunter2"}] }'
    for (let end = 0; end <= json.length; end++) expect(variables(json.slice(0, end))).not.toMatch(/hun/)
  })

  it('knows the names that the gateway redacts in its log', async () => {
    const secret = [
      'password',
      'passwd',
      'passphrase',
      'clientSecret',
      'token',
      'Authorization',
      'cookie',
      'credentials',
      'nonce',
      'apiKey',
    ]
    const plain = ['title', 'slug', 'first', 'after', 'search', 'user', 'name', 'pass', 'content', 'id']
    const values = Object.fromEntries([...secret, ...plain].map((name) => [name, MARK]))
    const logged: unknown[] = []
    const world = await World.start({ observe: { logVariables: true }, on: { operation: (operation) => logged.push(operation.variables) } })
    try {
      await world.query('{ __typename }', { variables: values })
    } finally {
      await world.close()
    }
    const shown = JSON.parse(variables(JSON.stringify(values)))
    expect(shown).toEqual(Object.fromEntries([...secret.map((name) => [name, '']), ...plain.map((name) => [name, MARK])]))
    expect(logged).toEqual([Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, value || '[redacted]']))])
  })
})
