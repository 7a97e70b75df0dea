/** A logger with the methods of pino. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Without it, all levels are enabled. */
  isLevelEnabled?(level: string): boolean
  /** Lines that could not be written, for the metrics. */
  readonly droppedLines?: number
}

/** A trouble that is not a fault of the gateway. It is logged without a stack. */
export class Warning extends Error {
  constructor(
    message: string,
    readonly fields: object,
  ) {
    super(message)
  }
}
