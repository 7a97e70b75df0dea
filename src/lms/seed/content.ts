import { typeset } from '../text.js'
import type { Subject } from './curriculum.js'
import type { Random } from './random.js'

const OPENINGS = [
  'This part of the course is about %t.',
  'Most people meet %t long before they know its name.',
  'We begin with %t, and with the questions learners ask about it.',
  "Don't worry if %t looks hard at first: it gets easier with practice.",
]
const SENTENCES = [
  'Take your time, and write down what %t means in your own words.',
  'Compare two examples of %t and say what they have in common.',
  'In %s, %t and %u belong together.',
  'You will use %t again when we come to %u.',
  'A short film shows <strong>%t</strong> step by step.',
  'Talk about %t with somebody in your group &#8212; explaining is the best way to learn.',
  'Keep your notes: the quiz at the end asks about %t &amp; %u.',
  'Every term has an entry in the <a href="/glossary/">glossary</a>, %t included.',
]

const paragraph = (html: string): string => `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->\n\n`

/** Texts about the topics of a subject, as HTML. */
export class Prose {
  constructor(
    readonly random: Random,
    readonly subject: Subject,
  ) {}

  #fill(sentence: string, topic: string): string {
    return sentence.replace('%t', topic).replace('%u', this.random.pick(this.subject.htmlTopics)).replace('%s', this.subject.htmlName)
  }

  #sentences(topic: string, count: number): string {
    return Array.from({ length: count }, () => this.#fill(this.random.pick(SENTENCES), topic)).join(' ')
  }

  /** A body with several paragraphs, in the format of the WordPress editor. */
  body(name: string): string {
    const { random, subject } = this
    const topic = typeset(name)
    let html = paragraph(`${this.#fill(random.pick(OPENINGS), topic)} ${this.#sentences(topic, 2)}`)
    html += `<!-- wp:heading -->\n<h2 class="wp-block-heading">What you will learn</h2>\n<!-- /wp:heading -->\n\n`
    const items = random.some(subject.htmlTopics, 3).map((item) => `<li>${item}</li>`)
    html += `<!-- wp:list -->\n<ul class="wp-block-list">\n${items.join('\n')}\n</ul>\n<!-- /wp:list -->\n\n`
    for (let left = random.int(2, 4); left > 0; left--) html += paragraph(this.#sentences(topic, random.int(2, 4)))
    return html
  }

  /** A short list of what learners need. */
  materials(topic: string): string {
    return `<p>For ${typeset(topic)} you need:</p>\n<ul>\n<li>the workbook <em>${this.subject.htmlName}</em></li>\n<li>paper &amp; pencil</li>\n</ul>`
  }

  excerpt(topic: string): string {
    return `${topic}, explained for learners of ${this.subject.area}.`
  }
}
