/** Everything to write a resource outside of this package: see `docs/kit.md`. */
export type {
  Args,
  ArgumentContext,
  Edge,
  Entity,
  KeyEdge,
  ListArgs,
  ListEdge,
  LmsRecord,
  NeededRecord,
  Related,
  Target,
} from './engine/edges.js'
export { Course } from './resources/course/type.js'
export { CourseProgress } from './resources/course-progress/type.js'
export { Group } from './resources/group/type.js'
export { Lesson } from './resources/lesson/type.js'
export * from './resources/post.js'
export * from './resources/post-filters.js'
export { author, LmsContent, rootPost } from './resources/post-type.js'
export { PriceType } from './resources/price-type/type.js'
export { Question } from './resources/question/type.js'
export { Quiz } from './resources/quiz/type.js'
export { User } from './resources/user/type.js'
export type { NeededEdge, NeededField } from './schema/computed.js'
export { defineResource, type GraphBuilder, type Resource } from './schema/graph.js'
export { readId } from './schema/ids.js'
export { keyEdge, listEdge } from './schema/needed-edges.js'
export type { ConnectionOptions } from './schema/plugin.js'
export type { KeyOf, LmsNodeOptions, LmsNodeRef, LmsRowRef, RecordOf } from './schema/refs.js'
export * as columns from './upstream/codec/columns.js'
export { BadInputError, LmsError } from './upstream/errors.js'
export type { Filter, Filters, Order, Orders } from './upstream/filters.js'
export { type ByKey, type ListRoute, postByKey, type Route } from './upstream/routes.js'
