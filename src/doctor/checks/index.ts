import type { Check } from '../check.js'
import { accounts } from './accounts.js'

import { batches } from './batches.js'
import { budget } from './budget.js'
import { columns } from './columns.js'
import { credential } from './credential.js'
import { droppedFilters } from './dropped-filters.js'
import { fields } from './fields.js'
import { filters } from './filters.js'
import { namespaces } from './namespaces.js'
import { optionalRoutes } from './optional-routes.js'
import { pace } from './pace.js'
import { pageSize } from './page-size.js'
import { payNow } from './pay-now.js'
import { quizOfQuestion } from './quiz-of-question.js'
import { reach } from './reach.js'
import { routes } from './routes.js'
import { timeZone } from './time-zone.js'
import { totals } from './totals.js'
import { words } from './words.js'

/** All checks, in the order of their calls. */
export const CHECKS: readonly Check[] = [
  reach,
  namespaces,
  credential,
  routes,
  columns,
  fields,
  pageSize,
  batches,
  filters,
  droppedFilters,
  quizOfQuestion,
  payNow,
  timeZone,
  optionalRoutes,
  accounts,
  totals,
  words,
  pace,
  budget,
]
