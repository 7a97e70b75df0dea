/** The folder of this package. This module is in a file of `src` or of `dist`. */
export const PACKAGE_FOLDER = new URL('../', import.meta.url)
