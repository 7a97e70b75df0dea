/** The digits of a hash: some tools put its name before it. */
export const plainHash = (name: string): string => name.replace(/^sha256:/, '')
