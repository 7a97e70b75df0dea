import { describe, expect, it } from 'vitest'
import { kindOf } from './contract.js'
import { KEYS, readDirective } from './directive.js'
import { parsePage, readPage } from './page.js'

const FENCE = '```'
const block = (comment: string, language = 'graphql') => `${comment}\n${FENCE}${language}\n{ viewer { id } }\n${FENCE}\n`

describe('a comment above a block', () => {
  it('has keys with values and flags', () => {
    const { blocks, complaints } = parsePage('a.md', `# A\n\n${block(`<!-- test: as=admin calls=2 variables='{"id": "1"}' -->`)}`)
    expect(complaints).toEqual([])
    expect(blocks).toEqual([
      {
        page: 'a.md',
        line: 5,
        language: 'graphql',
        text: '{ viewer { id } }\n',
        directive: { as: 'admin', calls: '2', variables: '{"id": "1"}' },
        section: 1,
      },
    ])
  })

  it.each([
    ['nonsense=1', '`nonsense` is not a key'],
    ['calls', '`calls` has no value'],
    ['answer=1', '`answer` takes no value'],
    ['calls=1 calls=2', '`calls` is there twice'],
    ["variables='{", 'is not `key=value`'],
  ])('%s is refused', (text, complaint) => {
    expect(readDirective(text).complaint).toContain(complaint)
  })

  it('must be directly above a block', () => {
    expect(parsePage('a.md', `<!-- test: calls=1 -->\n\n${FENCE}graphql\n{ a }\n${FENCE}\n`).complaints).toEqual([
      'a.md:1: this comment must be directly above a fenced block.',
    ])
    expect(parsePage('a.md', '<!-- test: calls=1 -->\n\nText.\n').complaints).toHaveLength(1)
  })

  it('is found in lists, and other comments are left alone', () => {
    const { blocks, complaints } = parsePage(
      'a.md',
      `<!-- A note. -->\n\n1. Item\n\n   <!-- test: calls=3 -->\n   ${FENCE}graphql\n   { a }\n   ${FENCE}\n`,
    )
    expect([complaints, blocks.map(({ directive, line }) => [directive, line])]).toEqual([[], [[{ calls: '3' }, 7]]])
  })
})

it('pictures of other hosts are refused', () => {
  expect(parsePage('a.md', '![A](https://x.example/a.png) ![B](./b.png)\n').complaints).toEqual([
    'a.md:1: https://x.example/a.png is a picture of another host.',
  ])
})

it('placeholders without backticks are refused, because the site would not build', () => {
  const { complaints } = parsePage('a.md', 'A <name> and {{ value }}.\n\n`<name>` and `{{ value }}` and<br>more.\n')
  expect(complaints).toEqual(['a.md:1: `<name>` is HTML: put it into backticks.', 'a.md:1: put `{{` into backticks.'])
})

describe('the contract', () => {
  const kind = (comment: string, language: string): unknown => {
    const [found] = parsePage('a.md', block(comment, language)).blocks
    const result = kindOf(found as NonNullable<typeof found>)
    return typeof result === 'string' ? result : result.complaint
  }

  it.each([
    ['', 'graphql', 'operation'],
    ['', 'ts', 'types'],
    ['', 'sh', 'commands'],
    ['', 'mermaid', 'diagram'],
    ['<!-- test: settings -->', 'yaml', 'settings'],
    ['<!-- test: answer -->', 'json', 'answer'],
    ['<!-- test: file=test/kit/picture.ts -->', 'ts', 'file'],
    ['<!-- test: none reason="needs an account of root" -->', 'sh', 'none'],
  ])('%s %s is %s', (comment, language, expected) => {
    expect(kind(comment, language)).toBe(expected)
  })

  it.each([
    ['', 'yaml', 'has no test'],
    ['', '', 'has no test'],
    ['', 'text', 'has no test'],
    ['<!-- test: none -->', 'sh', 'without a reason'],
    ['<!-- test: none reason="it is too long" -->', 'graphql', 'a test can read graphql'],
    ['<!-- test: answer settings -->', 'json', 'says both'],
    ['<!-- test: calls=2 -->', 'sh', 'no effect'],
    ['<!-- test: answer -->', 'text', 'not JSON'],
  ])('%s %s is refused: %s', (comment, language, complaint) => {
    expect(kind(comment, language)).toContain(complaint)
  })
})

describe('docs/contributing.md', () => {
  const { blocks, codes, complaints } = readPage('docs/contributing.md')

  it('has an example of a comment', () => {
    const [example] = blocks.filter(({ language }) => language === 'md')
    const inner = parsePage('a.md', example?.text ?? '')
    expect([complaints, inner.complaints, inner.blocks.map(kindOf)]).toEqual([[], [], ['operation']])
  })

  it('describes every key', () => {
    const described = codes.flatMap(({ text }) =>
      readDirective(text).complaint === undefined ? Object.keys(readDirective(text).directive) : [],
    )
    expect([...new Set(described)].sort()).toEqual(Object.keys(KEYS).sort())
  })
})

describe('headings', () => {
  it('have the anchors of GitHub', () => {
    const { anchors } = parsePage('a.md', '# The `--max-calls` flag\n\n## A, B & C\n\n## Twice\n\n## Twice\n\n## Größe: 2.5\n')
    expect([...anchors]).toEqual(['the---max-calls-flag', 'a-b--c', 'twice', 'twice-1', 'größe-25'])
  })
})
