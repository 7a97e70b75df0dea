/** From none to all: a level shows its own lines, and those of the levels before it. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const

/** `json`: an object a line. `pretty`: for people. */
export const LOG_FORMATS = ['json', 'pretty'] as const
