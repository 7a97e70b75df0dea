/** What makes operations cheaper without changing a response, each with the tuning that switches it off. */
export const FAST_PATHS = [
  { name: 'JSON requests past the pipeline of Yoga', tuning: { shortPath: false } },
  { name: 'responses written from records', tuning: { compile: false } },
]
