/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const StandingFragmentDoc = new TypedDocumentString(`
    fragment standing on CourseProgress {
  id
  status
  stepsCompleted
  stepsTotal
}
    `, {"fragmentName":"standing"}) as unknown as TypedDocumentString<StandingFragment, unknown>;
export const ReviewFragmentDoc = new TypedDocumentString(`
    fragment review on Question {
  id
  title
  question
  answerType
  points
  quiz {
    id
    title
    passingPercentage
  }
  answers {
    answer
    correct
    points
  }
}
    `, {"fragmentName":"review"}) as unknown as TypedDocumentString<ReviewFragment, unknown>;
export const HitFragmentDoc = new TypedDocumentString(`
    fragment hit on LmsContent {
  __typename
  id
  title
  link
}
    `, {"fragmentName":"hit"}) as unknown as TypedDocumentString<HitFragment, unknown>;
export const GroupsAndCoursesDocument = new TypedDocumentString(`
    query GroupsAndCourses($groups: Int = 3, $courses: Int = 4) {
  groups(first: $groups) {
    totalCount
    nodes {
      id
      title
      courses(first: $courses) {
        totalCount
        nodes {
          id
          title
          priceType {
            id
            name
          }
          prerequisites {
            id
            title
          }
          lessons(first: 3) {
            totalCount
            nodes {
              id
              title
            }
          }
        }
      }
    }
  }
}
    `, {"hash":"1562b2d19f915ec62a71263526c17d8a4f46fd934c5f95838fb8cab6a7279a58"}) as unknown as TypedDocumentString<GroupsAndCoursesQuery, GroupsAndCoursesQueryVariables>;
export const LearnerDashboardDocument = new TypedDocumentString(`
    query LearnerDashboard {
  viewer {
    id
    name
    courseProgress(first: 20) {
      totalCount
      nodes {
        id
        status
        stepsCompleted
        stepsTotal
        startedAt
        completedAt
        course {
          id
          title
          link
          lessons(first: 5) {
            nodes {
              id
              title
              isSample
            }
          }
        }
      }
    }
  }
}
    `, {"hash":"f0c5bc810cc95a1726cf0bb0594e3a515e5af2f712708650da985e4f0c2f6243"}) as unknown as TypedDocumentString<LearnerDashboardQuery, LearnerDashboardQueryVariables>;
export const CatalogueDocument = new TypedDocumentString(`
    query Catalogue($search: String = "", $categories: [ID!], $tags: [ID!], $orderBy: CourseOrderBy = {field: DATE, direction: DESC}, $after: String) {
  courses(
    first: 12
    after: $after
    where: {search: $search, courseCategories: {in: $categories}, courseTags: {in: $tags}}
    orderBy: $orderBy
  ) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      slug
      date
      price
      featuredImage {
        id
        url
        srcSet
        alt
      }
      author {
        id
        name
      }
      priceType {
        id
        name
        description
      }
      courseCategories {
        id
        name
      }
    }
  }
  categories: terms(
    taxonomy: COURSE_CATEGORY
    first: 100
    where: {hideEmpty: true}
  ) {
    nodes {
      id
      name
      count
    }
  }
  tags: terms(taxonomy: COURSE_TAG, first: 100, where: {hideEmpty: true}) {
    nodes {
      id
      name
      count
    }
  }
}
    `, {"hash":"681663914c05c3fb80d3f31644b94100ad5bec71abebcf847184bc642fd9ccc9"}) as unknown as TypedDocumentString<CatalogueQuery, CatalogueQueryVariables>;
export const CoursePageDocument = new TypedDocumentString(`
    query CoursePage($id: ID!) {
  course(id: $id) {
    id
    title
    content
    contentProtected
    modified
    author {
      id
      name
    }
    prerequisites {
      id
      title
      link
    }
    lessons(first: 100) {
      nodes {
        id
        title
        videoEnabled
        quizzes(first: 5, course: $id) {
          nodes {
            id
            title
            passingPercentage
          }
        }
      }
    }
    quizzes(first: 10, where: {courseLevelOnly: true}) {
      nodes {
        id
        title
        threshold
      }
    }
  }
}
    `, {"hash":"a6e3ab14d5fa3184a419597e8357a1e1a8775bbfa9bb6c6084f593861d10a5c2"}) as unknown as TypedDocumentString<CoursePageQuery, CoursePageQueryVariables>;
export const GroupOverviewDocument = new TypedDocumentString(`
    query GroupOverview($group: ID!, $learner: ID!) {
  group(id: $group) {
    id
    title
    parent {
      id
      title
    }
    courses(first: 10) {
      totalCount
      edges {
        groupCourse {
          priceTypePaynowPrice
          progressionDisabled
        }
        node {
          id
          title
          progress(user: $learner) {
            id
            status
            stepsCompleted
            stepsTotal
          }
        }
      }
    }
  }
}
    `, {"hash":"c85b5e04c1f4705535455edbde76f303fd57b0ceba73b27fa0713f2326f3ad9d"}) as unknown as TypedDocumentString<GroupOverviewQuery, GroupOverviewQueryVariables>;
export const ProgressTableDocument = new TypedDocumentString(`
    query ProgressTable($first: ID!, $second: ID!) {
  courses(first: 10, orderBy: {field: ID}) {
    nodes {
      id
      title
      first: progress(user: $first) {
        ...standing
      }
      second: progress(user: $second) {
        ...standing
      }
    }
  }
}
    fragment standing on CourseProgress {
  id
  status
  stepsCompleted
  stepsTotal
}`, {"hash":"055edd7358b505538a0bd2351d6f1add067ec2f50bfda64c3c232cef37c5502b"}) as unknown as TypedDocumentString<ProgressTableQuery, ProgressTableQueryVariables>;
export const QuizReviewDocument = new TypedDocumentString(`
    query QuizReview($one: ID!, $two: ID!, $three: ID!) {
  one: question(id: $one) {
    ...review
  }
  two: question(id: $two) {
    ...review
  }
  three: question(id: $three) {
    ...review
  }
}
    fragment review on Question {
  id
  title
  question
  answerType
  points
  quiz {
    id
    title
    passingPercentage
  }
  answers {
    answer
    correct
    points
  }
}`, {"hash":"5860a74e28f89fb12978968e5bbd9fb0a3d10d30d3c9c13f2c51ef12da4d9b6f"}) as unknown as TypedDocumentString<QuizReviewQuery, QuizReviewQueryVariables>;
export const SearchDocument = new TypedDocumentString(`
    query Search($text: String!) {
  courses(first: 5, where: {search: $text, searchColumns: [TITLE]}) {
    totalCount
    nodes {
      ...hit
    }
  }
  groups(first: 5, where: {search: $text}) {
    totalCount
    nodes {
      ...hit
    }
  }
}
    fragment hit on LmsContent {
  __typename
  id
  title
  link
}`, {"hash":"0fede2c30528920d49072e93a0c59d2d9200a25ed9b35ce567229e331a0e0161"}) as unknown as TypedDocumentString<SearchQuery, SearchQueryVariables>;
export const NodesDocument = new TypedDocumentString(`
    query Nodes($ids: [ID!]!) {
  nodes(ids: $ids) {
    id
    __typename
    ... on LmsContent {
      title
      status
    }
    ... on Course {
      priceTypeSlug
    }
    ... on PriceType {
      name
    }
  }
}
    `, {"hash":"f397b9791ba95611b21f2fdf9e2394c4fbe4fea8129f9ffe87caad6ceca39aea"}) as unknown as TypedDocumentString<NodesQuery, NodesQueryVariables>;
export const CreateCourseDocument = new TypedDocumentString(`
    mutation CreateCourse($input: CreateCourseInput!) {
  createCourse(input: $input) {
    __typename
    ... on CreateCourseSuccess {
      course {
        id
        databaseId
        title
        slug
        status
        priceType {
          id
          name
        }
        prerequisites {
          id
          title
        }
      }
    }
    ... on InvalidInputError {
      fields {
        field
        path
        code
        limit
        message
      }
    }
    ... on LmsError {
      code
      message
    }
  }
}
    `, {"hash":"0676989dca84a853034705d49541ca83ac4dc703ecca5de922623cca22f12ac8"}) as unknown as TypedDocumentString<CreateCourseMutation, CreateCourseMutationVariables>;
export const ChangeAndAddDocument = new TypedDocumentString(`
    mutation ChangeAndAdd($course: ID!, $group: ID!) {
  updateCourse(input: {id: $course, pointsEnabled: true, points: 2.5}) {
    __typename
    ... on UpdateCourseSuccess {
      course {
        id
        title
        points
      }
    }
    ... on LmsError {
      code
      message
    }
  }
  addCoursesToGroup(input: {id: $group, courseIds: [$course]}) {
    __typename
    ... on AddCoursesToGroupSuccess {
      additions {
        courseId
        added
        message
      }
      group {
        id
        title
        courses {
          totalCount
          nodes {
            id
            title
            points
          }
        }
      }
    }
    ... on LmsError {
      code
      message
    }
  }
}
    `, {"hash":"b52366e49d1f80e5a53c7573b1988989deba0fd154c398dbb1b9860ec40ceece"}) as unknown as TypedDocumentString<ChangeAndAddMutation, ChangeAndAddMutationVariables>;
export const LearnerHomeDocument = new TypedDocumentString(`
    query LearnerHome {
  viewer {
    id
    name
    nextLessons(first: 5) {
      progress {
        id
        percent
        stepsCompleted
        stepsTotal
        startedAt
      }
      course {
        id
        title
        link
      }
      lesson {
        id
        title
        link
      }
      reason
    }
    courseProgress(first: 100) {
      totalCount
      nodes {
        id
        status
        percent
        course {
          id
          title
          link
        }
      }
    }
  }
}
    `, {"hash":"97ec36fdf91eb720b29cc9db89133de2778e16ff7d506b2c8eb4e16357fc2320"}) as unknown as TypedDocumentString<LearnerHomeQuery, LearnerHomeQueryVariables>;
export const LockedCourseDocument = new TypedDocumentString(`
    query LockedCourse($course: ID!) {
  course(id: $course) {
    id
    title
    access {
      state
      enrolment
      availableAt
      expiresAt
      reasons {
        __typename
        message
        ... on NotEnrolled {
          price
          buttonUrl
          priceType {
            id
            name
          }
        }
        ... on PrerequisitesMissing {
          compare
          missing {
            id
            title
            link
          }
          completed {
            id
            title
          }
        }
      }
      unknowns {
        rule
        missing
        message
        pointsNeeded
      }
    }
    lessons(first: 3) {
      nodes {
        id
        title
        access(course: $course) {
          state
          availableAt
          reasons {
            message
          }
        }
      }
    }
  }
}
    `, {"hash":"53fae2316c4e9a7f113f044bbfc493cf47133354d6a0c6470bca68b904956814"}) as unknown as TypedDocumentString<LockedCourseQuery, LockedCourseQueryVariables>;
export const PrerequisiteMapDocument = new TypedDocumentString(`
    query PrerequisiteMap($course: ID!) {
  course(id: $course) {
    id
    title
    prerequisiteMap(maxDepth: 5) {
      isComplete
      nodes {
        courseGlobalId
        depth
        parentGlobalIds
        completed
        isInCycle
        course {
          id
          title
        }
      }
    }
  }
}
    `, {"hash":"2b6cfece432046b905bf366f906b9ae6509a9e6bd655273501afd2e2db8d5ab1"}) as unknown as TypedDocumentString<PrerequisiteMapQuery, PrerequisiteMapQueryVariables>;