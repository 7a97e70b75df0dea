/** The form that the texts of a column must have. */
export interface Form {
  readonly fits: (text: string) => boolean
  /** Description that follows "must be" in messages. */
  readonly allowed: string
}

/** Slugs of records. Sites send non-ASCII letters as they are, or percent-encoded. */
export const slug: Form = {
  fits: (text) => /^(?:[\p{L}\p{M}\p{N}_-]|%[\da-f]{2})+$/iu.test(text),
  allowed: 'letters, digits, `-` and `_`',
}

/** Slugs that the LMS defines, such as those of price types. */
export const identifier: Form = { fits: (text) => /^[\w-]+$/.test(text), allowed: 'ASCII letters, digits, `-` and `_`' }

export const fileExtension: Form = { fits: (text) => /^\s*[a-z\d]+\s*$/i.test(text), allowed: 'letters and digits, such as `pdf`' }

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }
/** Largest upload of the interface, in bytes. */
const MOST_UPLOAD = 32 * 1024 ** 2

/** Sizes of uploads: bytes, or a number with a unit. */
export const uploadSize: Form = {
  fits: (text) => {
    const [, amount, unit = ''] = /^(\d{1,12})([KMG]?)$/i.exec(text) ?? []
    const bytes = Number(amount) * (UNITS[unit.toUpperCase()] as number)
    return bytes >= 1 && bytes <= MOST_UPLOAD
  },
  allowed: 'a size from 1 byte to 32M, such as `33554432`, `500K` or `32M`',
}
