/** Thrown when settings are found to be wrong after they were read. Each complaint is a line for operators. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings'

  constructor(readonly complaints: readonly string[]) {
    super(complaints.join('\n'))
  }
}
