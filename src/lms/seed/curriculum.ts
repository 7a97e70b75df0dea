import { typeset } from '../text.js'

/** A subject of the school, with the topics of its lessons. */
export interface Subject {
  readonly name: string
  readonly area: string
  readonly topics: readonly string[]
  /** Name and topics as HTML. */
  readonly htmlName: string
  readonly htmlTopics: readonly string[]
}

/** The subjects with their areas, and below each its topics. */
const CURRICULUM = `
Algebra & Equations (Mathematics)
  Variables; Linear Equations; Inequalities; Factoring; Quadratic Functions; Polynomials; Systems of Equations; Exponents; Logarithms; Sequences
Geometry 📐 (Mathematics)
  Points & Lines; Angles; Triangles; Congruence; Similarity; Circles; Area; Volume; Coordinate Geometry; Transformations
Statistics (Mathematics)
  Collecting Data; Frequency Tables; Mean & Median; Spread; Scatter Plots; Probability; Sampling; Normal Distribution; Confidence Intervals; Hypothesis Tests
Biology 🌱 (Science)
  Cells; Photosynthesis; Genetics; Evolution; Food Webs; The Human Heart; Digestion; The Nervous System; Microbes; Ecosystems
Chemistry (Science)
  Atoms; The Periodic Table; Chemical Bonds; Reactions; Acids & Bases; Moles; Gases; Energy Changes; Equilibrium; Organic Compounds
Physics (Science)
  Motion; Forces; Work & Energy; Waves; Sound; Light; Electric Circuits; Magnetism; Heat; Radioactivity
Astronomy 🔭 (Science)
  The Night Sky; The Moon; The Sun; Planets; Comets; Telescopes; Stars; Galaxies; Black Holes; The Big Bang
World History (Humanities)
  River Civilisations; Ancient Greece; Rome; The Silk Road; The Middle Ages; The Renaissance; Revolutions; Industrialisation; The World Wars; Decolonisation
Geography (Humanities)
  Maps & Scale; Climate Zones; Rivers; Mountains; Oceans; Population; Cities; Trade; Natural Hazards; Resources
Philosophy (Humanities)
  What Is Knowledge?; Logic; Ethics; Free Will; Mind & Body; Beauty; Justice; Language; Science & Truth; The Good Life
"Café" French (Languages)
  Greetings; Ordering Food; Numbers; The Present Tense; Asking the Way; Family; The Past Tense; Weather; Shopping; Travelling by Train
German for Travellers (Languages)
  Sounds & Spelling; Introductions; Articles; Time; Eating Out; Modal Verbs; Directions; Cases; At the Doctor's; Small Talk
English Composition (Languages)
  Finding an Idea; Outlines; Paragraphs; Topic Sentences; Evidence; Transitions; Style; Editing; Citation; Giving Feedback
Drawing (Arts)
  Line; Shape; Light & Shadow; Proportion; Perspective; Hands; Faces; Texture; Composition; Sketchbooks
Music Theory 🎵 (Arts)
  Rhythm; Notation; Scales; Intervals; Chords; Cadences; Melody; Harmony; Form; Listening
Photography (Arts)
  The Camera; Exposure; Aperture; Shutter Speed; Composition; Natural Light; Portraits; Landscapes; Colour; Editing
Programming in Python (Technology)
  Values & Types; Conditions; Loops; Functions; Lists; Dictionaries; Files; Classes; Testing; Debugging
Databases & SQL (Technology)
  Tables; Keys; Selecting Rows; Joins; Grouping; Subqueries; Indexes; Transactions; Normal Forms; Backups
Economics (Business)
  Scarcity; Supply & Demand; Markets; Elasticity; Costs; Competition; Money; Inflation; Growth; International Trade
Project Management (Business)
  Goals; Stakeholders; Planning; Estimates; Risk; Budgets; Teams; Meetings; Tracking Progress; Retrospectives
`

/** Subjects of the school. */
export const SUBJECTS: readonly Subject[] = [...CURRICULUM.matchAll(/^(.+) \((\w+)\)\n {2}(.+)$/gm)].map(
  ([, name = '', area = '', list = '']) => {
    const topics = list.split('; ')
    return { name, area, topics, htmlName: typeset(name), htmlTopics: topics.map(typeset) }
  },
)

/** Title suffixes for the courses of each subject, from the first to the last. */
export const LEVELS = [
  '- First Steps',
  'Foundations',
  'in Practice',
  '"Hands-On" Workshop',
  '<em>Advanced</em>',
  '& Exam Preparation',
] as const

/** Groups of the school: name, and index of the parent in this list. */
export const GROUPS: readonly (readonly [string, number | null])[] = [
  ['Riverside School', null],
  ['Evening College', null],
  ['Teacher Training', null],
  ['Year 7', 0],
  ['Year 8', 0],
  ['Year 9', 0],
  ['Year 10 - Sciences', 0],
  ['Year 10 - Humanities', 0],
  ['Class 7a "Otters"', 3],
  ['Class 7b "Herons"', 3],
  ['Class 8a', 4],
  ['Languages & Travel ✈️', 1],
  ['Business Certificate', 1],
  ['Studio Arts 🎨', 1],
  ['New Teachers', 2],
  ['Mentors & Coaches', 2],
]

export const FIRST_NAMES =
  'Amara Ben Chiara Dmitri Elena Farid Greta Hiro Ines Jonas Kofi Lena Marek Nadia Oscar Priya Quinn Rosa Samir Tove Uma Viktor Wanda Xin Yusuf Zoë'.split(
    ' ',
  )
export const LAST_NAMES =
  "Abara Berg Costa Dahl Ekström Fischer García Huang Ivanov Jansen Kowalski Lindqvist Moreau Nakamura O'Neill Petrov Quist Rossi Schäfer Takács".split(
    ' ',
  )

/** The ways to sell a course: slug, name, description. */
export const PRICES: readonly (readonly [string, string, string])[] = [
  ['open', 'Open', 'Anyone can take the course without an account or enrolment.'],
  ['free', 'Free', 'The course costs nothing, but learners register and enrol to take it.'],
  ['paynow', 'Buy now', 'Learners pay once for the course.'],
  ['subscribe', 'Recurring', 'Learners pay for the course at regular intervals.'],
  ['closed', 'Closed', 'Learners are enrolled by the school or through a group.'],
]
