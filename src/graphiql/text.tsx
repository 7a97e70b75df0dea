/** A text with the code of Markdown: what is between backticks is shown as code. */
export const Text = ({ children }: { children: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
  children.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

/** The same text for places that show no code, such as tooltips. */
export const plain = (text: string): string => text.replaceAll('`', '')
