import { buildSchema, type GraphQLSchema } from 'graphql'
import { GroupsAndCoursesDocument, type GroupsAndCoursesQuery, type GroupsAndCoursesQueryVariables } from 'lms-graphql/documents'
import { introspection, typeDefs } from 'lms-graphql/schema'

// A front end, or a tool, that uses the graph and its typed documents.

export const schema: GraphQLSchema = buildSchema(typeDefs)
export const typesForCache: readonly string[] = introspection.__schema.types.map(({ name }) => name)

export const variables: GroupsAndCoursesQueryVariables = { groups: 2 }
export const titles = (data: GroupsAndCoursesQuery): (string | null | undefined)[] => data.groups?.nodes.map((group) => group?.title) ?? []
export const document: typeof GroupsAndCoursesDocument = GroupsAndCoursesDocument
