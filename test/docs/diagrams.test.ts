import { expect, it } from 'vitest'
import { diagram } from '../../docs/.vitepress/markdown.js'
import { blocksOf } from './contract.js'
import { ALL_PAGES, placeOf } from './page.js'

// The site of the documentation draws the blocks with Mermaid.

const BLOCKS = ALL_PAGES.flatMap(({ blocks }) => blocksOf(blocks, 'diagram'))

it.each(BLOCKS.map((block) => [placeOf(block), block] as const))('%s is a diagram', (_, { text }) => {
  expect(diagram(text, 'diagram')).toContain('<svg')
})
