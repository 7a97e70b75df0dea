import { ANSWER_TYPES } from '../spec/question.js'
import type { Cell } from '../store.js'
import { typeset } from '../text.js'
import type { Subject } from './curriculum.js'
import { FIRST_ID } from './ids.js'
import type { Random } from './random.js'

type AnswerType = (typeof ANSWER_TYPES)[number]

const QUESTIONS: Readonly<Record<AnswerType, string>> = {
  single: 'Which of these belongs to %t?',
  multiple: 'Which of these are taught together with %t?',
  free_answer: 'What is the topic that comes right after %t?',
  sort_answer: 'Put the topics around %t in the order of the course.',
  matrix_sort_answer: 'Match each topic near %t with what it is about.',
  cloze_answer: 'Fill the gap in the sentence about %t.',
  essay: 'Explain %t in your own words.',
  assessment_answer: 'How sure are you about %t?',
}

const answer = (text: string, over: object = {}): object => ({
  _answer: text,
  _html: false,
  _points: 1,
  _correct: false,
  _sortString: '',
  _sortStringHtml: false,
  _graded: false,
  _gradingProgression: '',
  _gradedType: null,
  ...over,
})

/** The answers of a question of a type. */
function answersOf(random: Random, type: AnswerType, topics: readonly string[], at: number): object[] {
  const near = Array.from({ length: 4 }, (_, step) => topics[(at + step + 1) % topics.length]!)
  const first = near[0]!
  switch (type) {
    case 'single':
      return near.map((text, index) => answer(text, { _correct: index === 0, _points: index === 0 ? 2 : 0 }))
    case 'multiple':
      return near.map((text, index) => answer(`<b>${text}</b>`, { _html: true, _correct: index < 2 }))
    case 'free_answer':
      return [answer(`${first}\n${first.toLowerCase()}`, { _correct: true })]
    case 'sort_answer':
      return near.map((text) => answer(text, { _correct: true }))
    case 'matrix_sort_answer':
      return near.map((text) => answer(text, { _correct: true, _sortString: `All about <i>${text}</i>`, _sortStringHtml: true }))
    case 'cloze_answer':
      return [answer(`After ${topics[at]} comes {[${first}]}.`, { _correct: true })]
    case 'essay':
      return [
        answer('', {
          _graded: true,
          _gradingProgression: random.pick(['not-graded-none', 'not-graded-full', 'graded-full']),
          _gradedType: random.pick(['text', 'upload']),
        }),
      ]
    case 'assessment_answer':
      return [answer('{ [not at all] [a little] [quite] [very] }', { _points: 4 })]
  }
}

/** Makes the questions of quizzes, with all answer types in turn. */
export class QuestionMaker {
  readonly rows: Record<string, Cell | boolean>[] = []

  constructor(readonly random: Random) {}

  add(quiz: number, position: number, subject: Subject): void {
    const { random, rows } = this
    const place = rows.length
    const type = ANSWER_TYPES[place % ANSWER_TYPES.length]!
    const at = random.int(0, subject.topics.length - 1)
    const topic = typeset(subject.topics[at]!)
    const text = QUESTIONS[type].replace('%t', topic)
    const same = random.chance(0.2)
    const correct = `<p>Right, that is part of &#8220;${topic}&#8221;.</p>`
    rows.push({
      id: FIRST_ID.question + place,
      internal_id: FIRST_ID.internalQuestion + place,
      quiz,
      position,
      title: `${topic} &#8211; ${type.replaceAll('_', ' ')} ${position}`,
      question: `<p>${text}</p>`,
      correct_message: correct,
      incorrect_message: same ? correct : `<p>Not quite: read the lesson on ${topic} again.</p>`,
      same_message: same,
      hint_enabled: random.chance(0.7),
      hint: `<p>It is on the first page about ${topic}.</p>`,
      points: random.int(1, 6),
      points_in_box: random.chance(0.4),
      answer_points: random.chance(0.4),
      answer_type: type,
      different_points: random.chance(0.85) ? random.chance(0.3) : null,
      disable_correct: random.chance(0.2),
      criteria_width: random.pick([20, 30, 40]),
      answers: JSON.stringify(answersOf(random, type, subject.topics, at)),
    })
  }
}
