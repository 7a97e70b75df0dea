import { buildSchema, type GraphQLSchema } from 'graphql'
import { readText, unreadableFile } from '../options/files.js'
import { OptionsError } from '../options/program.js'

/** Reads a graph from a file with SDL. `flag` named the file. Throws an `OptionsError` when it is no such file. */
export function readGraph(path: string, flag: string): GraphQLSchema {
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    throw new OptionsError([unreadableFile(`\`${flag}\``, path, error)])
  }
  try {
    // Subgraphs use directives that routers define.
    return buildSchema(text, { assumeValidSDL: true })
  } catch (error) {
    throw new OptionsError([`The file \`${path}\` that \`${flag}\` names is not a graph in SDL: ${(error as Error).message}`])
  }
}
