import { assertValidSchema, buildSchema, type GraphQLSchema } from 'graphql'
import { readText, unreadableFile } from '../options/files.js'
import { OptionsError } from '../options/program.js'

/** The text of a file that a flag names. Throws an `OptionsError` when it cannot be read. */
export function textOf(path: string, flag: string, read: (path: string) => string = readText): string {
  try {
    return read(path)
  } catch (error) {
    throw new OptionsError([unreadableFile(`\`${flag}\``, path, error)])
  }
}

/** Reads a graph from a file with SDL. `flag` named the file. Throws an `OptionsError` when it is no such file. */
export function readGraph(path: string, flag: string): GraphQLSchema {
  const text = textOf(path, flag)
  try {
    // Subgraphs use directives that routers define.
    const graph = buildSchema(text, { assumeValidSDL: true })
    assertValidSchema(graph)
    return graph
  } catch (error) {
    throw new OptionsError([`The file \`${path}\` that \`${flag}\` names is not a graph in SDL: ${(error as Error).message}`])
  }
}
