/** Levels of the log. Each one includes the levels before it. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const

/** `json`: one object per line. `pretty`: text for people. */
export const LOG_FORMATS = ['json', 'pretty'] as const
