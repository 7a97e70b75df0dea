const [NEWLINE, RETURN, QUOTE, HASH, BACKSLASH] = [0x0a, 0x0d, 0x22, 0x23, 0x5c]
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * How deep braces and brackets nest in a document, as far as `most` and one. The parser calls itself for each, and a deep document would
 * be the end of its stack, so this looks at the text alone; what stands in texts and comments is passed over.
 */
export function nestingOf(text: string, most: number): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length && deepest <= most; at++) {
    const code = text.charCodeAt(at)
    if (code === BRACE || code === BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth--
    else if (code === HASH) at = endOfLine(text, at)
    else if (code === QUOTE) at = text.startsWith('"""', at) ? endOfBlock(text, at + 3) : endOfText(text, at + 1)
  }
  return deepest
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) !== NEWLINE && text.charCodeAt(at) !== RETURN) at++
  return at
}

/** A text that does not end on its line is none: the parser stops there. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === NEWLINE || code === RETURN) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}

function endOfBlock(text: string, from: number): number {
  let end = text.indexOf('"""', from)
  while (end !== -1 && text.charCodeAt(end - 1) === BACKSLASH) end = text.indexOf('"""', end + 3)
  return end === -1 ? text.length : end + 2
}
