type Path = readonly (string | number)[]

/** One part of an incremental response. */
export interface Part {
  readonly data?: any
  readonly incremental?: readonly {
    readonly path: Path
    readonly data?: any
    readonly items?: any[]
    readonly errors?: any[]
  }[]
  readonly errors?: readonly any[]
  readonly hasNext?: boolean
}

/** The parts of a response as they arrive. A complete response is one part. */
export async function* partsOf(response: Response): AsyncIterableIterator<Part> {
  if (!response.headers.get('content-type')?.startsWith('multipart/mixed')) {
    yield (await response.json()) as Part
    return
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const pieces = text.split('\r\n---')
    text = pieces.pop() as string
    for (const piece of pieces) {
      const json = piece.split('\r\n\r\n')[1]
      if (json) yield JSON.parse(json)
    }
  }
}

/** The complete result of all parts. */
export function joined(parts: readonly Part[]): { data: any; errors: any[] } {
  const [{ data, errors = [] } = {}, ...later] = structuredClone(parts) as Part[]
  const all = [...errors]
  for (const { incremental = [] } of later) {
    for (const { path, data: more, items, errors: others = [] } of incremental) {
      all.push(...others)
      let at = data
      for (const step of items ? path.slice(0, -1) : path) at = at[step]
      if (items) at.splice(path.at(-1) as number, items.length, ...items)
      else if (more) merge(at, more)
    }
  }
  return { data, errors: all }
}

function merge(into: any, more: any): void {
  for (const [key, value] of Object.entries(more))
    if (typeof value === 'object' && value !== null && typeof into[key] === 'object' && into[key] !== null) merge(into[key], value)
    else into[key] = value
}
