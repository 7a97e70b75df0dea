/** The global id of a record, as clients get and keep it. */
export const globalId = (type: string, key: string | number): string => Buffer.from(`${type}:${key}`).toString('base64')
