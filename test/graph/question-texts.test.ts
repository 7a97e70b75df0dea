import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { World } from '../support/world.js'

const QUESTION = {
  _id: 9,
  _title: '<b>1 &lt; 2</b> &#8211; &#8220;true&#8221;',
  question_post_title: '<i>Q</i> &amp; A',
  _answerData: [
    { _answer: 'A &#8211; &lt;p&gt; <b>', _html: false, _sortString: 'R&amp;D', _sortStringHtml: '' },
    { _answer: '<b>A</b> &amp; B', _html: true, _sortString: '<i>R&amp;D</i>', _sortStringHtml: 'on' },
    { _answer: 'A &amp; B' },
    { _answer: 7, _html: 'no' },
    { _html: false },
  ],
}

describe('texts of a question', () => {
  let site: FakeSite
  let gateway: Served
  beforeAll(async () => {
    site = await FakeSite.start((_, response) => json(response, QUESTION))
    gateway = await serve({ site: { url: site.url } })
  })
  afterAll(async () => {
    await gateway.close()
    await site.close()
  })

  const ask = async (fields: string) => {
    const response = await gateway.post({ query: `{ question(id: 7) { ${fields} } }` }, { authorization: 'Basic YTpi' })
    const { data, errors } = (await response.json()) as any
    expect(errors).toBe(undefined)
    return data.question
  }

  it('are a plain title like those of other records, and beside it the HTML', async () => {
    expect(await ask('title titleHtml postTitle postTitleHtml')).toEqual({
      title: '1 < 2 – “true”',
      titleHtml: QUESTION._title,
      postTitle: 'Q & A',
      postTitleHtml: QUESTION.question_post_title,
    })
  })

  it('are answers that can be shown as their flag says: as text, or as HTML', async () => {
    const { answers } = await ask('answers { answer html sortString sortStringHtml }')
    expect(answers).toEqual([
      { answer: 'A – <p> <b>', html: false, sortString: 'R&D', sortStringHtml: false },
      { answer: '<b>A</b> &amp; B', html: true, sortString: '<i>R&amp;D</i>', sortStringHtml: true },
      { answer: 'A & B', html: null, sortString: null, sortStringHtml: null },
      { answer: '7', html: false, sortString: null, sortStringHtml: null },
      { answer: null, html: false, sortString: null, sortStringHtml: null },
    ])
  })

  it('are those of the sample school', async () => {
    const world = await World.start({}, { profile: 'lms' })
    const { data } = await world.query('{ question(id: 500001) { title titleHtml } }', { as: 'admin' })
    expect(data.question).toEqual({ title: 'Polynomials – single 1', titleHtml: 'Polynomials &#8211; single 1' })
    await world.close()
  })
})
