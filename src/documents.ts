/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** A rule by which an LMS grants access. */
export type AccessRule =
  /** The course has started, and has not ended. */
  | 'COURSE_DATES'
  /** The user is enrolled, if the course requires it. */
  | 'ENROLMENT'
  /** The access of the user has not expired. */
  | 'EXPIRY'
  /** The content has no password. */
  | 'PASSWORD'
  /** The user has the points that the course requires. */
  | 'POINTS'
  /** The user has completed the prerequisites. */
  | 'PREREQUISITES'
  /** The user has completed the lessons before this one, if their order is enforced. */
  | 'PROGRESSION'
  /** The lesson is released. */
  | 'RELEASE'
  /** The course or lesson is published. */
  | 'STATUS';

/** Whether a user can open a course or a lesson. */
export type AccessState =
  /** Every rule allows it. */
  | 'AVAILABLE'
  /** At least one rule refuses it. */
  | 'LOCKED'
  /** No rule is known to refuse it, but not every rule is known to allow it. */
  | 'UNKNOWN';

/** How a question is answered. */
export type AnswerType =
  /** A value on a scale. */
  | 'ASSESSMENT_ANSWER'
  /** Gaps in a text are filled in. */
  | 'CLOZE_ANSWER'
  /** A long text or a file, graded by a person. */
  | 'ESSAY'
  /** A short text, compared with the answers. */
  | 'FREE_ANSWER'
  /** Answers are matched with criteria. */
  | 'MATRIX_SORT_ANSWER'
  /** Any number of answers is selected. */
  | 'MULTIPLE'
  /** One answer is selected. */
  | 'SINGLE'
  /** Answers are put in order. */
  | 'SORT_ANSWER'
  /** Another value: the field with the same name plus `Value` has the text that the site sent. */
  | 'UNKNOWN';

/** Sort order of the list. */
export type CourseOrderBy = {
  /** Direction; ascending by default. */
  direction?: OrderDirection | null | undefined;
  /** Sort key. */
  field: CourseOrderField;
};

/** Sort keys of a list. */
export type CourseOrderField =
  /** By user id of the author. */
  | 'AUTHOR'
  /** By date of publication. */
  | 'DATE'
  /** By id. */
  | 'ID'
  /** In the order of `where.id.in`, which is required. */
  | 'INCLUDE'
  /** In the order of `where.slug`, which is required. */
  | 'INCLUDE_SLUGS'
  /** By menu order. */
  | 'MENU_ORDER'
  /** By date of the last change. */
  | 'MODIFIED'
  /** By id of the parent. */
  | 'PARENT'
  /** By relevance for `where.search`, which is required. With a blank search, the default order is used. */
  | 'RELEVANCE'
  /** By slug. */
  | 'SLUG'
  /** By title. */
  | 'TITLE';

/** Values of the new course. The site sets omitted fields; without `status` the course is a draft. */
export type CreateCourseInput = {
  /** User id of the author. It can't be null. */
  authorId?: string | number | null | undefined;
  /** Term ids in the taxonomy `category`. Null clears it. */
  categoryIds?: Array<number> | null | undefined;
  /** Body as entered by the editor: HTML, or blocks of the block editor. Null clears it. */
  content?: string | null | undefined;
  /** Term ids in the course categories. Null clears it. */
  courseCategoryIds?: Array<number> | null | undefined;
  /** Term ids in the course tags. Null clears it. */
  courseTagIds?: Array<number> | null | undefined;
  /** Label of the button of a closed course; empty for the default. Null clears it. */
  customButtonLabel?: string | null | undefined;
  /** URL of the button of a closed course; empty for none. Null clears it. */
  customButtonUrl?: string | null | undefined;
  /** When it was or will be published, in the time zone of the site. Null clears it. */
  date?: string | null | undefined;
  /** When it was or will be published, in UTC. Null clears it. */
  dateGmt?: string | null | undefined;
  /** Whether lessons may be taken in any order. It can't be null. */
  disableLessonProgression?: boolean | null | undefined;
  /** Whether access ends a number of days after enrolment. It can't be null. */
  expireAccess?: boolean | null | undefined;
  /** Days until access ends. It can't be null. */
  expireAccessDays?: number | null | undefined;
  /** Whether course and quiz data are deleted when access ends. It can't be null. */
  expireAccessDeleteProgress?: boolean | null | undefined;
  /** Media id of the featured image. Null clears it. */
  featuredMediaId?: number | null | undefined;
  /** Materials of the course as HTML; empty for none. Null clears it. */
  materials?: string | null | undefined;
  /** Position among records of the same type, from 0. It can't be null. */
  menuOrder?: number | null | undefined;
  /** Custom values of the record, by the names that the site registered. It can't be null. */
  meta?: Record<string, unknown> | null | undefined;
  /** Password that protects the content; empty for none. Null clears it. */
  password?: string | null | undefined;
  /** Points awarded on completion. It can't be null. */
  points?: number | null | undefined;
  /** Points required for access. It can't be null. */
  pointsAccess?: number | null | undefined;
  /** Whether the course awards and requires points. It can't be null. */
  pointsEnabled?: boolean | null | undefined;
  /** How prerequisites are compared. It can't be null. */
  prerequisiteCompare?: PrerequisiteCompareInput | null | undefined;
  /** Whether the prerequisites are enforced. It can't be null. */
  prerequisiteEnabled?: boolean | null | undefined;
  /** Ids of the courses to complete before this one. Null clears it. */
  prerequisiteIds?: Array<string | number> | null | undefined;
  /** Price as stored by the site, with or without currency; empty for none. Null clears it. */
  price?: string | null | undefined;
  /** Slug of the price type, such as `paynow`. It can't be null. */
  priceTypeSlug?: string | null | undefined;
  /** Short name for URLs: letters, digits, `-` and `_`, at most 200. The site makes it unique within the type. Null clears it. */
  slug?: string | null | undefined;
  /** Publication status of the record. It can't be null. */
  status?: PostStatusInput | null | undefined;
  /** Term ids in the taxonomy `post_tag`. Null clears it. */
  tagIds?: Array<number> | null | undefined;
  /** Theme file that renders the record; empty for the default. Null clears it. */
  template?: string | null | undefined;
  /** Title; may contain tags and entities. Null clears it. */
  title?: string | null | undefined;
};

/** Whether a user is enrolled in a course. */
export type Enrolment =
  /** The user is enrolled. */
  | 'ENROLLED'
  /** The course requires enrolment, and the user is not enrolled. */
  | 'NOT_ENROLLED'
  /** The course requires no enrolment, or the user bypasses the rules. */
  | 'NOT_REQUIRED'
  /** It is not known: `unknowns` has the reason. */
  | 'UNKNOWN';

/** A code of an error: of a result of a mutation, or in `extensions.code`. Codes can be added: handle others as well. */
export type ErrorCode =
  /** The data would be larger than a response may be, or the operation needs more memory than the gateway has. */
  | 'ANSWER_TOO_LARGE'
  /** The HTTP request is not a GraphQL request: the query is missing, the body is not JSON, or a mutation was sent by GET. Or its `Accept`, its `Content-Type` or another header is not supported. */
  | 'BAD_REQUEST'
  /** An argument, a variable or a combination of them is wrong. The message names it and says what is allowed. */
  | 'BAD_USER_INPUT'
  /** The body of the request is too large. */
  | 'BODY_TOO_LARGE'
  /** A mutation was not sent to the site, because the cache that several gateways share cannot be reached. They would show the old data. */
  | 'CACHE_UNAVAILABLE'
  /** The operation is expected to need more REST calls than it may make (400), or it has already made that many (200). */
  | 'CALL_BUDGET_EXCEEDED'
  /** The state of the record does not allow the change: it is in the trash already, for example. */
  | 'CONFLICT'
  /** The gateway runs trusted documents only (`ONLY_TRUSTED`), and this document is not one of them. */
  | 'DOCUMENT_NOT_TRUSTED'
  /** The credentials are valid but lack the permission (the site answered 403), or the password of the content is wrong. Or the caller may not have operations explained (403). */
  | 'FORBIDDEN'
  /** Syntax error in the GraphQL document. */
  | 'GRAPHQL_PARSE_FAILED'
  /** The document does not match the schema, such as a field that does not exist. */
  | 'GRAPHQL_VALIDATION_FAILED'
  /** A fault of the gateway. Its text is only in the log. */
  | 'INTERNAL_SERVER_ERROR'
  /** The document or the variables exceed a limit. `extensions.limit` is the name of the limit, `extensions.most` its value. */
  | 'LIMIT_EXCEEDED'
  /** The site does not have the route that the field needs, such as that of images. By `SITE_ROUTES`, without a call; or the site has answered so. */
  | 'NOT_AVAILABLE'
  /** The parent of a list or the record to be changed does not exist, or the site does not have the route (it answered 404 or 410). A record that is asked for by id is null instead. */
  | 'NOT_FOUND'
  /** The document has several operations, or none with the given name. */
  | 'OPERATION_RESOLUTION_FAILURE'
  /** The gateway does not know a document with this hash. */
  | 'PERSISTED_QUERY_NOT_FOUND'
  /** The client has used up what one client may use per minute. `extensions.limit` is the name of the limit, `extensions.most` its value. Or, without these, the site has rejected too many credentials from this address. Nothing was run. */
  | 'RATE_LIMITED'
  /** A batch did not return the record, and the operation has already used its single reads for other records. */
  | 'RECORD_UNRESOLVED'
  /** The gateway is closing. Or the client left before the response, and does not see the error. */
  | 'REQUEST_CANCELLED'
  /** The request did not arrive in time. */
  | 'REQUEST_TIMEOUT'
  /** The gateway is short of memory. The operation was not started (503), or ended early (200). */
  | 'SERVER_BUSY'
  /** The site requires credentials, or rejects those it received (it answered 401). Or the gateway requires a key or a token (401). */
  | 'UNAUTHENTICATED'
  /** Another code, of a resource from outside the package. */
  | 'UNKNOWN'
  /** The queue of REST calls is full, or the call waited in it for too long: the queue of the gateway, or that of the proxy that limits the calls of several gateways. The site was not asked, so a change was not made. */
  | 'UPSTREAM_BUSY'
  /** The response of the site is not what the REST interface promises. It is empty, truncated, too large, HTML or other text that is not JSON, not what its `Content-Encoding` says, a list instead of a record, another record, an error with status 200, or a redirect. After a write: the change may have been made. */
  | 'UPSTREAM_INVALID_RESPONSE'
  /** The site limits the rate of requests (it answered 429). */
  | 'UPSTREAM_RATE_LIMITED'
  /** The site rejects a value that the gateway accepted (it answered with another 4xx). */
  | 'UPSTREAM_REJECTED'
  /** The site did not answer in time, or the operation took too long. After a write: the change may have been made. */
  | 'UPSTREAM_TIMEOUT'
  /** The connection to the site failed or broke, or the site answered 5xx. Or the circuit breaker is open after too many failures, or the key set for tokens cannot be read (both 503 when a whole query fails). After a write: the change may have been made. */
  | 'UPSTREAM_UNAVAILABLE';

/** Why a field of an input is invalid. Codes can be added: handle others like `REJECTED`. */
export type InvalidFieldCode =
  /** The value cannot be combined with that of another field. */
  | 'CONFLICT'
  /** The value does not have the required form. */
  | 'INVALID_FORMAT'
  /** The value refers to a record or a term that does not exist. */
  | 'NOT_FOUND'
  /** The value is not one of those that the site allows. */
  | 'NOT_ONE_OF'
  /** The number is too small or too large for the site. */
  | 'OUT_OF_RANGE'
  /** The site rejects the value for another reason. */
  | 'REJECTED'
  /** The value is missing or null. */
  | 'REQUIRED'
  /** The list has fewer than `limit` values. */
  | 'TOO_FEW'
  /** The number is greater than `limit`. */
  | 'TOO_LARGE'
  /** The text has more than `limit` characters. */
  | 'TOO_LONG'
  /** The list has more than `limit` values. */
  | 'TOO_MANY'
  /** The number is less than `limit`. */
  | 'TOO_SMALL';

/** What would decide a rule. */
export type MissingFact =
  /** Which steps the user has completed: the site tells only the last one, which is not a lesson. */
  | 'COMPLETED_STEPS'
  /** The settings of the course, which the caller may not read. */
  | 'COURSE'
  /** The course of the lesson, which belongs to no course or to several. Set the argument `course`. */
  | 'COURSE_OF_LESSON'
  /** When the user was enrolled, which the site does not send. */
  | 'ENROLMENT_DATE'
  /** Who the user is: the gateway does not know the viewer. Set the argument `user`. */
  | 'LEARNER'
  /** The order of the lessons of the course: the caller may not read it, or it does not contain the lesson. */
  | 'LESSON_ORDER'
  /** Points that the user received from an administrator, which the interface does not show. */
  | 'POINTS_AWARDED_BY_HAND'
  /** Whether a prerequisite still exists: the caller may not read it. */
  | 'PREREQUISITE'
  /** The price type of the course: the site sends none, or one that the gateway does not know. */
  | 'PRICE_TYPE'
  /** The progress of the user, which the caller may not read. */
  | 'PROGRESS'
  /** How the site behaves in this case: it differs between versions. A setting of the gateway can tell it. */
  | 'SITE_BEHAVIOR'
  /** The publication status, which the site does not send. */
  | 'STATUS'
  /** The time zone of the site: its setting `timeZone` is not set. */
  | 'TIME_ZONE';

/** Why `nextLesson` or `nextStep` is null. */
export type NextLessonReason =
  /** The user has completed all lessons, but not yet the course: a quiz may be left. For `nextStep`: all steps. */
  | 'ALL_LESSONS_COMPLETED'
  /** It is not known which lessons the user has completed: the site tells only the last step. */
  | 'COMPLETED_STEPS_UNKNOWN'
  /** The user has completed the course. */
  | 'COURSE_COMPLETED'
  /** The caller may not read the lessons of the course. */
  | 'LESSON_ORDER_UNREADABLE'
  /** The course has no lessons, or for `nextStep` no steps. */
  | 'NO_LESSONS';

/** Direction of a sort order. */
export type OrderDirection =
  /** Ascending: smallest, earliest, or A first. */
  | 'ASC'
  /** Descending: largest, latest, or Z first. */
  | 'DESC';

/** Publication status of a record. */
export type PostStatus =
  /** Being written. */
  | 'DRAFT'
  /** Scheduled: to be published at its date, in the future. */
  | 'FUTURE'
  /** Submitted and graded. */
  | 'GRADED'
  /** Submitted and not graded yet. */
  | 'NOT_GRADED'
  /** Waiting for review. */
  | 'PENDING'
  /** Visible to editors only. */
  | 'PRIVATE'
  /** Published: visible to everyone with access to the record. */
  | 'PUBLISH'
  /** In the trash. */
  | 'TRASH'
  /** Another value: the field with the same name plus `Value` has the text that the site sent. */
  | 'UNKNOWN';

/** Values for `PostStatus` in inputs. */
export type PostStatusInput =
  /** Being written. */
  | 'DRAFT'
  /** Scheduled: to be published at its date, in the future. */
  | 'FUTURE'
  /** Submitted and graded. */
  | 'GRADED'
  /** Submitted and not graded yet. */
  | 'NOT_GRADED'
  /** Waiting for review. */
  | 'PENDING'
  /** Visible to editors only. */
  | 'PRIVATE'
  /** Published: visible to everyone with access to the record. */
  | 'PUBLISH';

/** How many of the prerequisites a learner must complete. */
export type PrerequisiteCompare =
  /** All of them. */
  | 'ALL'
  /** One of them. */
  | 'ANY'
  /** Another value: the field with the same name plus `Value` has the text that the site sent. */
  | 'UNKNOWN';

/** Values for `PrerequisiteCompare` in inputs. */
export type PrerequisiteCompareInput =
  /** All of them. */
  | 'ALL'
  /** One of them. */
  | 'ANY';

/** Status of a user in a course, or in a step of one. */
export type ProgressStatus =
  /** All steps completed. */
  | 'COMPLETED'
  /** Some steps completed. */
  | 'IN_PROGRESS'
  /** No step completed yet. */
  | 'NOT_STARTED'
  /** Another value: the field with the same name plus `Value` has the text that the site sent. */
  | 'UNKNOWN';

export type GroupsAndCoursesQueryVariables = Exact<{
  groups?: number | null | undefined;
  courses?: number | null | undefined;
}>;


export type GroupsAndCoursesQuery = { groups: { totalCount: number | null, nodes: Array<{ id: string, title: string | null, courses: { totalCount: number | null, nodes: Array<{ id: string, title: string | null, priceType: { id: string, name: string | null } | null, prerequisites: Array<{ id: string, title: string | null } | null>, lessons: { totalCount: number | null, nodes: Array<{ id: string, title: string | null } | null> } | null } | null> } | null } | null> } | null };

export type LearnerDashboardQueryVariables = Exact<{ [key: string]: never; }>;


export type LearnerDashboardQuery = { viewer: { id: string, name: string | null, courseProgress: { totalCount: number | null, nodes: Array<{ id: string, status: ProgressStatus | null, stepsCompleted: number | null, stepsTotal: number | null, startedAt: string | null, completedAt: string | null, course: { id: string, title: string | null, link: string | null, lessons: { nodes: Array<{ id: string, title: string | null, isSample: boolean | null } | null> } | null } | null } | null> } | null } | null };

export type CatalogueQueryVariables = Exact<{
  search?: string | null | undefined;
  categories?: Array<string | number> | string | number | null | undefined;
  tags?: Array<string | number> | string | number | null | undefined;
  orderBy?: CourseOrderBy | null | undefined;
  after?: string | null | undefined;
}>;


export type CatalogueQuery = { courses: { totalCount: number | null, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, title: string | null, slug: string | null, date: string | null, price: string | null, featuredImage: { id: string, url: string | null, srcSet: string | null, alt: string | null } | null, author: { id: string, name: string | null } | null, priceType: { id: string, name: string | null, description: string | null } | null, courseCategories: Array<{ id: string, name: string | null } | null> } | null> } | null, categories: { nodes: Array<{ id: string, name: string | null, count: number | null } | null> } | null, tags: { nodes: Array<{ id: string, name: string | null, count: number | null } | null> } | null };

export type CoursePageQueryVariables = Exact<{
  id: string | number;
}>;


export type CoursePageQuery = { course: { id: string, title: string | null, content: string | null, contentProtected: boolean | null, modified: string | null, author: { id: string, name: string | null } | null, prerequisites: Array<{ id: string, title: string | null, link: string | null } | null>, lessons: { nodes: Array<{ id: string, title: string | null, videoEnabled: boolean | null, quizzes: { nodes: Array<{ id: string, title: string | null, passingPercentage: number | null } | null> } | null } | null> } | null, quizzes: { nodes: Array<{ id: string, title: string | null, threshold: number | null } | null> } | null } | null };

export type GroupOverviewQueryVariables = Exact<{
  group: string | number;
  learner: string | number;
}>;


export type GroupOverviewQuery = { group: { id: string, title: string | null, parent: { id: string, title: string | null } | null, courses: { totalCount: number | null, edges: Array<{ groupCourse: { priceTypePaynowPrice: string | null, progressionDisabled: boolean | null } | null, node: { id: string, title: string | null, progress: { id: string, status: ProgressStatus | null, stepsCompleted: number | null, stepsTotal: number | null } | null } | null }> } | null } | null };

export type ProgressTableQueryVariables = Exact<{
  first: string | number;
  second: string | number;
}>;


export type ProgressTableQuery = { courses: { nodes: Array<{ id: string, title: string | null, first: { id: string, status: ProgressStatus | null, stepsCompleted: number | null, stepsTotal: number | null } | null, second: { id: string, status: ProgressStatus | null, stepsCompleted: number | null, stepsTotal: number | null } | null } | null> } | null };

export type StandingFragment = { id: string, status: ProgressStatus | null, stepsCompleted: number | null, stepsTotal: number | null };

export type QuizReviewQueryVariables = Exact<{
  one: string | number;
  two: string | number;
  three: string | number;
}>;


export type QuizReviewQuery = { one: { id: string, title: string | null, question: string | null, answerType: AnswerType | null, points: number | null, quiz: { id: string, title: string | null, passingPercentage: number | null } | null, answers: Array<{ answer: string | null, correct: boolean | null, points: number | null }> | null } | null, two: { id: string, title: string | null, question: string | null, answerType: AnswerType | null, points: number | null, quiz: { id: string, title: string | null, passingPercentage: number | null } | null, answers: Array<{ answer: string | null, correct: boolean | null, points: number | null }> | null } | null, three: { id: string, title: string | null, question: string | null, answerType: AnswerType | null, points: number | null, quiz: { id: string, title: string | null, passingPercentage: number | null } | null, answers: Array<{ answer: string | null, correct: boolean | null, points: number | null }> | null } | null };

export type ReviewFragment = { id: string, title: string | null, question: string | null, answerType: AnswerType | null, points: number | null, quiz: { id: string, title: string | null, passingPercentage: number | null } | null, answers: Array<{ answer: string | null, correct: boolean | null, points: number | null }> | null };

export type SearchQueryVariables = Exact<{
  text: string;
}>;


export type SearchQuery = { courses: { totalCount: number | null, nodes: Array<{ __typename: 'Course', id: string, title: string | null, link: string | null } | null> } | null, groups: { totalCount: number | null, nodes: Array<{ __typename: 'Group', id: string, title: string | null, link: string | null } | null> } | null };

type Hit_Course_Fragment = { __typename: 'Course', id: string, title: string | null, link: string | null };

type Hit_Group_Fragment = { __typename: 'Group', id: string, title: string | null, link: string | null };

type Hit_Lesson_Fragment = { __typename: 'Lesson', id: string, title: string | null, link: string | null };

type Hit_Quiz_Fragment = { __typename: 'Quiz', id: string, title: string | null, link: string | null };

type Hit_Topic_Fragment = { __typename: 'Topic', id: string, title: string | null, link: string | null };

export type HitFragment =
  | Hit_Course_Fragment
  | Hit_Group_Fragment
  | Hit_Lesson_Fragment
  | Hit_Quiz_Fragment
  | Hit_Topic_Fragment
;

export type NodesQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type NodesQuery = { nodes: Array<
    | { __typename: 'Course', title: string | null, status: PostStatus | null, priceTypeSlug: string | null, id: string }
    | { __typename: 'CourseProgress', id: string }
    | { __typename: 'FeaturedImage', id: string }
    | { __typename: 'Group', title: string | null, status: PostStatus | null, id: string }
    | { __typename: 'Lesson', title: string | null, status: PostStatus | null, id: string }
    | { __typename: 'LmsTerm', id: string }
    | { __typename: 'PriceType', name: string | null, id: string }
    | { __typename: 'Question', id: string }
    | { __typename: 'Quiz', title: string | null, status: PostStatus | null, id: string }
    | { __typename: 'Topic', title: string | null, status: PostStatus | null, id: string }
    | { __typename: 'User', id: string }
   | null> | null };

export type CreateCourseMutationVariables = Exact<{
  input: CreateCourseInput;
}>;


export type CreateCourseMutation = { createCourse:
    | { __typename: 'ConflictError', code: ErrorCode, message: string }
    | { __typename: 'CreateCourseSuccess', course: { id: string, databaseId: number, title: string | null, slug: string | null, status: PostStatus | null, priceType: { id: string, name: string | null } | null, prerequisites: Array<{ id: string, title: string | null } | null> } | null }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string, fields: Array<{ field: string, path: Array<string>, code: InvalidFieldCode, limit: number | null, message: string }> }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'UnauthenticatedError', code: ErrorCode, message: string }
    | { __typename: 'UpstreamError', code: ErrorCode, message: string }
   | null };

export type ChangeAndAddMutationVariables = Exact<{
  course: string | number;
  group: string | number;
}>;


export type ChangeAndAddMutation = { updateCourse:
    | { __typename: 'ConflictError', code: ErrorCode, message: string }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'UnauthenticatedError', code: ErrorCode, message: string }
    | { __typename: 'UpdateCourseSuccess', course: { id: string, title: string | null, points: number | null } | null }
    | { __typename: 'UpstreamError', code: ErrorCode, message: string }
   | null, addCoursesToGroup:
    | { __typename: 'AddCoursesToGroupSuccess', additions: Array<{ courseId: number, added: boolean | null, message: string | null }>, group: { id: string, title: string | null, courses: { totalCount: number | null, nodes: Array<{ id: string, title: string | null, points: number | null } | null> } | null } | null }
    | { __typename: 'ConflictError', code: ErrorCode, message: string }
    | { __typename: 'ForbiddenError', code: ErrorCode, message: string }
    | { __typename: 'InvalidInputError', code: ErrorCode, message: string }
    | { __typename: 'NotFoundError', code: ErrorCode, message: string }
    | { __typename: 'UnauthenticatedError', code: ErrorCode, message: string }
    | { __typename: 'UpstreamError', code: ErrorCode, message: string }
   | null };

export type LearnerHomeQueryVariables = Exact<{ [key: string]: never; }>;


export type LearnerHomeQuery = { viewer: { id: string, name: string | null, nextLessons: Array<{ reason: NextLessonReason | null, progress: { id: string, percent: number | null, stepsCompleted: number | null, stepsTotal: number | null, startedAt: string | null }, course: { id: string, title: string | null, link: string | null } | null, lesson: { id: string, title: string | null, link: string | null } | null }> | null, courseProgress: { totalCount: number | null, nodes: Array<{ id: string, status: ProgressStatus | null, percent: number | null, course: { id: string, title: string | null, link: string | null } | null } | null> } | null } | null };

export type LockedCourseQueryVariables = Exact<{
  course: string | number;
}>;


export type LockedCourseQuery = { course: { id: string, title: string | null, access: { state: AccessState, enrolment: Enrolment, availableAt: string | null, expiresAt: string | null, reasons: Array<
        | { __typename: 'CourseEnded', message: string }
        | { __typename: 'CourseNotStarted', message: string }
        | { __typename: 'Expired', message: string }
        | { __typename: 'NotEnrolled', price: string | null, buttonUrl: string | null, message: string, priceType: { id: string, name: string | null } | null }
        | { __typename: 'NotPublished', message: string }
        | { __typename: 'NotYetReleased', message: string }
        | { __typename: 'PasswordRequired', message: string }
        | { __typename: 'PrerequisitesMissing', compare: PrerequisiteCompare, message: string, missing: Array<{ id: string, title: string | null, link: string | null } | null>, completed: Array<{ id: string, title: string | null } | null> }
        | { __typename: 'PreviousLessonIncomplete', message: string }
      >, unknowns: Array<{ rule: AccessRule, missing: MissingFact, message: string, pointsNeeded: number | null }> } | null, lessons: { nodes: Array<{ id: string, title: string | null, access: { state: AccessState, availableAt: string | null, reasons: Array<
            | { message: string }
            | { message: string }
            | { message: string }
            | { message: string }
            | { message: string }
            | { message: string }
            | { message: string }
            | { message: string }
            | { message: string }
          > } | null } | null> } | null } | null };

export type PrerequisiteMapQueryVariables = Exact<{
  course: string | number;
}>;


export type PrerequisiteMapQuery = { course: { id: string, title: string | null, prerequisiteMap: { isComplete: boolean, nodes: Array<{ courseGlobalId: string, depth: number, parentGlobalIds: Array<string>, completed: boolean | null, isInCycle: boolean, course: { id: string, title: string | null } | null }> } | null } | null };

export const StandingFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"standing"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CourseProgress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"stepsCompleted"}},{"kind":"Field","name":{"kind":"Name","value":"stepsTotal"}}]}}]} as unknown as DocumentNode<StandingFragment, unknown>;
export const ReviewFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"review"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Question"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"question"}},{"kind":"Field","name":{"kind":"Name","value":"answerType"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"quiz"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"passingPercentage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"answers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"answer"}},{"kind":"Field","name":{"kind":"Name","value":"correct"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}}]} as unknown as DocumentNode<ReviewFragment, unknown>;
export const HitFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"hit"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LmsContent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}}]}}]} as unknown as DocumentNode<HitFragment, unknown>;
export const GroupsAndCoursesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GroupsAndCourses"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"groups"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"3"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"courses"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"4"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"groups"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"groups"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"courses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"courses"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"priceType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"prerequisites"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lessons"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<GroupsAndCoursesQuery, GroupsAndCoursesQueryVariables>;
export const LearnerDashboardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LearnerDashboard"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"courseProgress"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"stepsCompleted"}},{"kind":"Field","name":{"kind":"Name","value":"stepsTotal"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"completedAt"}},{"kind":"Field","name":{"kind":"Name","value":"course"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}},{"kind":"Field","name":{"kind":"Name","value":"lessons"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"isSample"}}]}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<LearnerDashboardQuery, LearnerDashboardQueryVariables>;
export const CatalogueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Catalogue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}},"defaultValue":{"kind":"StringValue","value":"","block":false}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"categories"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"tags"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"CourseOrderBy"}},"defaultValue":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"DATE"}},{"kind":"ObjectField","name":{"kind":"Name","value":"direction"},"value":{"kind":"EnumValue","value":"DESC"}}]}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"courses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"12"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"courseCategories"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"in"},"value":{"kind":"Variable","name":{"kind":"Name","value":"categories"}}}]}},{"kind":"ObjectField","name":{"kind":"Name","value":"courseTags"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"in"},"value":{"kind":"Variable","name":{"kind":"Name","value":"tags"}}}]}}]}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"slug"}},{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"featuredImage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"srcSet"}},{"kind":"Field","name":{"kind":"Name","value":"alt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"author"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"priceType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"description"}}]}},{"kind":"Field","name":{"kind":"Name","value":"courseCategories"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}},{"kind":"Field","alias":{"kind":"Name","value":"categories"},"name":{"kind":"Name","value":"terms"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"taxonomy"},"value":{"kind":"EnumValue","value":"COURSE_CATEGORY"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"hideEmpty"},"value":{"kind":"BooleanValue","value":true}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"count"}}]}}]}},{"kind":"Field","alias":{"kind":"Name","value":"tags"},"name":{"kind":"Name","value":"terms"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"taxonomy"},"value":{"kind":"EnumValue","value":"COURSE_TAG"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"hideEmpty"},"value":{"kind":"BooleanValue","value":true}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"count"}}]}}]}}]}}]} as unknown as DocumentNode<CatalogueQuery, CatalogueQueryVariables>;
export const CoursePageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CoursePage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"course"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"content"}},{"kind":"Field","name":{"kind":"Name","value":"contentProtected"}},{"kind":"Field","name":{"kind":"Name","value":"modified"}},{"kind":"Field","name":{"kind":"Name","value":"author"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"prerequisites"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lessons"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"videoEnabled"}},{"kind":"Field","name":{"kind":"Name","value":"quizzes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}},{"kind":"Argument","name":{"kind":"Name","value":"course"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"passingPercentage"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"quizzes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"courseLevelOnly"},"value":{"kind":"BooleanValue","value":true}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"threshold"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CoursePageQuery, CoursePageQueryVariables>;
export const GroupOverviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GroupOverview"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"group"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"learner"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"group"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"group"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"parent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}},{"kind":"Field","name":{"kind":"Name","value":"courses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"groupCourse"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"priceTypePaynowPrice"}},{"kind":"Field","name":{"kind":"Name","value":"progressionDisabled"}}]}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"user"},"value":{"kind":"Variable","name":{"kind":"Name","value":"learner"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"stepsCompleted"}},{"kind":"Field","name":{"kind":"Name","value":"stepsTotal"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<GroupOverviewQuery, GroupOverviewQueryVariables>;
export const ProgressTableDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ProgressTable"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"second"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"courses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"field"},"value":{"kind":"EnumValue","value":"ID"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","alias":{"kind":"Name","value":"first"},"name":{"kind":"Name","value":"progress"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"user"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"standing"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"second"},"name":{"kind":"Name","value":"progress"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"user"},"value":{"kind":"Variable","name":{"kind":"Name","value":"second"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"standing"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"standing"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CourseProgress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"stepsCompleted"}},{"kind":"Field","name":{"kind":"Name","value":"stepsTotal"}}]}}]} as unknown as DocumentNode<ProgressTableQuery, ProgressTableQueryVariables>;
export const QuizReviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"QuizReview"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"one"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"two"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"three"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"one"},"name":{"kind":"Name","value":"question"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"one"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"review"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"two"},"name":{"kind":"Name","value":"question"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"two"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"review"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"three"},"name":{"kind":"Name","value":"question"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"three"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"review"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"review"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Question"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"question"}},{"kind":"Field","name":{"kind":"Name","value":"answerType"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"quiz"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"passingPercentage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"answers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"answer"}},{"kind":"Field","name":{"kind":"Name","value":"correct"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}}]} as unknown as DocumentNode<QuizReviewQuery, QuizReviewQueryVariables>;
export const SearchDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Search"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"text"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"courses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"searchColumns"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"TITLE"}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"hit"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"groups"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"hit"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"hit"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LmsContent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}}]}}]} as unknown as DocumentNode<SearchQuery, SearchQueryVariables>;
export const NodesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Nodes"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ids"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"ids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ids"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LmsContent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Course"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"priceTypeSlug"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PriceType"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<NodesQuery, NodesQueryVariables>;
export const CreateCourseDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateCourse"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCourseInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createCourse"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCourseSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"course"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"databaseId"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"slug"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"priceType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"prerequisites"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"InvalidInputError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"fields"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LmsError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<CreateCourseMutation, CreateCourseMutationVariables>;
export const ChangeAndAddDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ChangeAndAdd"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"course"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"group"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateCourse"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"course"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"pointsEnabled"},"value":{"kind":"BooleanValue","value":true}},{"kind":"ObjectField","name":{"kind":"Name","value":"points"},"value":{"kind":"FloatValue","value":"2.5"}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateCourseSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"course"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LmsError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"addCoursesToGroup"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"group"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"courseIds"},"value":{"kind":"ListValue","values":[{"kind":"Variable","name":{"kind":"Name","value":"course"}}]}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"AddCoursesToGroupSuccess"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"additions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"courseId"}},{"kind":"Field","name":{"kind":"Name","value":"added"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"group"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"courses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LmsError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]} as unknown as DocumentNode<ChangeAndAddMutation, ChangeAndAddMutationVariables>;
export const LearnerHomeDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LearnerHome"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"nextLessons"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"percent"}},{"kind":"Field","name":{"kind":"Name","value":"stepsCompleted"}},{"kind":"Field","name":{"kind":"Name","value":"stepsTotal"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"course"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lesson"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}},{"kind":"Field","name":{"kind":"Name","value":"courseProgress"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"percent"}},{"kind":"Field","name":{"kind":"Name","value":"course"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<LearnerHomeQuery, LearnerHomeQueryVariables>;
export const LockedCourseDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LockedCourse"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"course"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"course"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"course"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"access"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"enrolment"}},{"kind":"Field","name":{"kind":"Name","value":"availableAt"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}},{"kind":"Field","name":{"kind":"Name","value":"reasons"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"NotEnrolled"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"buttonUrl"}},{"kind":"Field","name":{"kind":"Name","value":"priceType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PrerequisitesMissing"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"compare"}},{"kind":"Field","name":{"kind":"Name","value":"missing"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"link"}}]}},{"kind":"Field","name":{"kind":"Name","value":"completed"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"unknowns"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"missing"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"pointsNeeded"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"lessons"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"access"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"course"},"value":{"kind":"Variable","name":{"kind":"Name","value":"course"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"availableAt"}},{"kind":"Field","name":{"kind":"Name","value":"reasons"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<LockedCourseQuery, LockedCourseQueryVariables>;
export const PrerequisiteMapDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PrerequisiteMap"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"course"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"course"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"course"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"prerequisiteMap"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"maxDepth"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isComplete"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"courseGlobalId"}},{"kind":"Field","name":{"kind":"Name","value":"depth"}},{"kind":"Field","name":{"kind":"Name","value":"parentGlobalIds"}},{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"isInCycle"}},{"kind":"Field","name":{"kind":"Name","value":"course"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<PrerequisiteMapQuery, PrerequisiteMapQueryVariables>;