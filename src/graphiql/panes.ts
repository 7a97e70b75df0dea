/** The width up to which editors, response and panes are below each other. `style.css` has the same. */
const NARROW = '(max-width: 700px)'

/** Whether a pane covers the editors. */
export const isNarrow = (): boolean => matchMedia(NARROW).matches

/** What a narrow screen shows; a wide one shows all of it. */
export type View = 'Query' | 'Response' | 'Calls'
export const VIEWS: readonly View[] = ['Query', 'Response', 'Calls']

/**
 * Shows or hides a pane by its button in the sidebar. The action `setVisiblePlugin` of GraphiQL is not enough: it does not move the divider
 * between pane and editors.
 */
export function togglePane(title: string, shown: boolean): void {
  document.querySelector<HTMLElement>(`.graphiql-sidebar button[aria-label="${shown ? 'Show' : 'Hide'} ${title}"]`)?.click()
}
