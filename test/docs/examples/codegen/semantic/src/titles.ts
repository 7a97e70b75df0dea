import { toe } from 'graphql-toe'
import type { TypedDocumentString } from './gql/graphql.js'
import { graphql } from './gql/index.js'

/** Runs an operation. Reading a field that has an error throws the error. */
async function run<Result extends object>(url: string, document: TypedDocumentString<Result, never>): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: document }),
  })
  return toe((await response.json()) as Parameters<typeof toe<Result>>[0])
}

const Titles = graphql(`
  query Titles {
    groups(first: 2) {
      nodes {
        id
        title
        courses(first: 2) {
          nodes {
            id
            title
          }
        }
      }
    }
  }
`)

/** The titles of groups, and those of their courses where the site shows them. */
export async function titles(url: string): Promise<string[]> {
  const { groups } = await run(url, Titles)
  return groups.nodes.map((group) => {
    try {
      return `${group.title}: ${group.courses.nodes.map(({ title }) => title).join(', ')}`
    } catch (error) {
      return `${group.title}: ${(error as Error).message}`
    }
  })
}
