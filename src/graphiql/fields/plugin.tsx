import type { GraphiQLPlugin } from '@graphiql/react'
import { lazy, Suspense } from 'react'

const Pane = lazy(() => import('./pane.js'))

/** A pane with the fields of the schema as a tree, in which fields are ticked to select them in the operation at the cursor. */
export const FIELDS_PLUGIN: GraphiQLPlugin = {
  title: 'Fields',
  icon: FieldsIcon,
  content: () => (
    <Suspense fallback={null}>
      <Pane />
    </Suspense>
  ),
}

/** A ticked box, and the lines of a tree below it. */
function FieldsIcon(props: React.SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true" {...props}>
      <rect x="3" y="3.5" width="7" height="7" rx="1.5" />
      <path d="m4.9 7 1.3 1.3 2.2-2.6M13.5 7H21M6.5 10.5V18H11" />
      <path d="M13.5 18H21" />
      <circle cx="11.5" cy="18" r="0.5" />
    </svg>
  )
}
