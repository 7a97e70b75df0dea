/** What makes operations cheaper without changing a response, each with the flags that switch it off. */
export const FAST_PATHS = [
  { name: 'JSON requests past the pipeline of Yoga', flags: ['--short-path', 'false'] },
  { name: 'responses written from records', flags: ['--compile', 'false'] },
]
