/* eslint-disable */
import * as types from './graphql.js';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query GroupsAndCourses($groups: Int = 3, $courses: Int = 4) {\n  groups(first: $groups) {\n    totalCount\n    nodes {\n      title\n      courses(first: $courses) {\n        totalCount\n        nodes {\n          title\n          priceType {\n            name\n          }\n          prerequisites {\n            title\n          }\n          lessons(first: 3) {\n            totalCount\n            nodes {\n              title\n            }\n          }\n        }\n      }\n    }\n  }\n}": typeof types.GroupsAndCoursesDocument,
    "query LearnerDashboard($user: ID!) {\n  user(id: $user) {\n    courseProgress(first: 20) {\n      totalCount\n      nodes {\n        status\n        stepsCompleted\n        stepsTotal\n        dateStarted\n        dateCompleted\n        course {\n          title\n          link\n          lessons(first: 5) {\n            nodes {\n              title\n              isSample\n            }\n          }\n        }\n      }\n    }\n  }\n}": typeof types.LearnerDashboardDocument,
    "query Catalogue($search: String, $after: String) {\n  courses(\n    first: 12\n    after: $after\n    where: {search: $search}\n    orderBy: {field: DATE, direction: DESC}\n  ) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      title\n      slug\n      date\n      price\n      featuredMediaId\n      priceType {\n        name\n        description\n      }\n    }\n  }\n  priceTypes {\n    slug\n    name\n  }\n}": typeof types.CatalogueDocument,
    "query CoursePage($id: ID!) {\n  course(id: $id) {\n    title\n    content\n    contentProtected\n    modified\n    author {\n      databaseId\n    }\n    prerequisites {\n      title\n      link\n    }\n    lessons(first: 100) {\n      nodes {\n        title\n        videoEnabled\n        quizzes(first: 5) {\n          nodes {\n            title\n            passingPercentage\n          }\n        }\n      }\n    }\n    quizzes(first: 10, where: {courseLevelOnly: true}) {\n      nodes {\n        title\n        threshold\n      }\n    }\n  }\n}": typeof types.CoursePageDocument,
    "query GroupOverview($group: ID!, $learner: ID!) {\n  group(id: $group) {\n    title\n    parent {\n      title\n    }\n    courses(first: 10) {\n      totalCount\n      edges {\n        groupCourse {\n          priceTypePaynowPrice\n          progressionDisabled\n        }\n        node {\n          title\n          progressOf(user: $learner) {\n            status\n            stepsCompleted\n            stepsTotal\n          }\n        }\n      }\n    }\n  }\n}": typeof types.GroupOverviewDocument,
    "query ProgressTable($first: ID!, $second: ID!) {\n  courses(first: 10, orderBy: {field: ID}) {\n    nodes {\n      title\n      first: progressOf(user: $first) {\n        ...standing\n      }\n      second: progressOf(user: $second) {\n        ...standing\n      }\n    }\n  }\n}\n\nfragment standing on CourseProgress {\n  status\n  stepsCompleted\n  stepsTotal\n}": typeof types.ProgressTableDocument,
    "query QuizReview($one: ID!, $two: ID!, $three: ID!) {\n  one: question(id: $one) {\n    ...review\n  }\n  two: question(id: $two) {\n    ...review\n  }\n  three: question(id: $three) {\n    ...review\n  }\n}\n\nfragment review on Question {\n  title\n  question\n  answerType\n  points\n  quiz {\n    title\n    passingPercentage\n  }\n  answers {\n    answer\n    correct\n    points\n  }\n}": typeof types.QuizReviewDocument,
    "query Search($text: String!) {\n  courses(first: 5, where: {search: $text, searchColumns: [TITLE]}) {\n    totalCount\n    nodes {\n      ...hit\n    }\n  }\n  groups(first: 5, where: {search: $text}) {\n    totalCount\n    nodes {\n      ...hit\n    }\n  }\n}\n\nfragment hit on Post {\n  __typename\n  id\n  title\n  link\n}": typeof types.SearchDocument,
    "query Nodes($ids: [ID!]!) {\n  nodes(ids: $ids) {\n    id\n    __typename\n    ... on Post {\n      title\n      status\n    }\n    ... on Course {\n      priceTypeSlug\n    }\n    ... on PriceType {\n      name\n    }\n  }\n}": typeof types.NodesDocument,
};
const documents: Documents = {
    "query GroupsAndCourses($groups: Int = 3, $courses: Int = 4) {\n  groups(first: $groups) {\n    totalCount\n    nodes {\n      title\n      courses(first: $courses) {\n        totalCount\n        nodes {\n          title\n          priceType {\n            name\n          }\n          prerequisites {\n            title\n          }\n          lessons(first: 3) {\n            totalCount\n            nodes {\n              title\n            }\n          }\n        }\n      }\n    }\n  }\n}": types.GroupsAndCoursesDocument,
    "query LearnerDashboard($user: ID!) {\n  user(id: $user) {\n    courseProgress(first: 20) {\n      totalCount\n      nodes {\n        status\n        stepsCompleted\n        stepsTotal\n        dateStarted\n        dateCompleted\n        course {\n          title\n          link\n          lessons(first: 5) {\n            nodes {\n              title\n              isSample\n            }\n          }\n        }\n      }\n    }\n  }\n}": types.LearnerDashboardDocument,
    "query Catalogue($search: String, $after: String) {\n  courses(\n    first: 12\n    after: $after\n    where: {search: $search}\n    orderBy: {field: DATE, direction: DESC}\n  ) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      title\n      slug\n      date\n      price\n      featuredMediaId\n      priceType {\n        name\n        description\n      }\n    }\n  }\n  priceTypes {\n    slug\n    name\n  }\n}": types.CatalogueDocument,
    "query CoursePage($id: ID!) {\n  course(id: $id) {\n    title\n    content\n    contentProtected\n    modified\n    author {\n      databaseId\n    }\n    prerequisites {\n      title\n      link\n    }\n    lessons(first: 100) {\n      nodes {\n        title\n        videoEnabled\n        quizzes(first: 5) {\n          nodes {\n            title\n            passingPercentage\n          }\n        }\n      }\n    }\n    quizzes(first: 10, where: {courseLevelOnly: true}) {\n      nodes {\n        title\n        threshold\n      }\n    }\n  }\n}": types.CoursePageDocument,
    "query GroupOverview($group: ID!, $learner: ID!) {\n  group(id: $group) {\n    title\n    parent {\n      title\n    }\n    courses(first: 10) {\n      totalCount\n      edges {\n        groupCourse {\n          priceTypePaynowPrice\n          progressionDisabled\n        }\n        node {\n          title\n          progressOf(user: $learner) {\n            status\n            stepsCompleted\n            stepsTotal\n          }\n        }\n      }\n    }\n  }\n}": types.GroupOverviewDocument,
    "query ProgressTable($first: ID!, $second: ID!) {\n  courses(first: 10, orderBy: {field: ID}) {\n    nodes {\n      title\n      first: progressOf(user: $first) {\n        ...standing\n      }\n      second: progressOf(user: $second) {\n        ...standing\n      }\n    }\n  }\n}\n\nfragment standing on CourseProgress {\n  status\n  stepsCompleted\n  stepsTotal\n}": types.ProgressTableDocument,
    "query QuizReview($one: ID!, $two: ID!, $three: ID!) {\n  one: question(id: $one) {\n    ...review\n  }\n  two: question(id: $two) {\n    ...review\n  }\n  three: question(id: $three) {\n    ...review\n  }\n}\n\nfragment review on Question {\n  title\n  question\n  answerType\n  points\n  quiz {\n    title\n    passingPercentage\n  }\n  answers {\n    answer\n    correct\n    points\n  }\n}": types.QuizReviewDocument,
    "query Search($text: String!) {\n  courses(first: 5, where: {search: $text, searchColumns: [TITLE]}) {\n    totalCount\n    nodes {\n      ...hit\n    }\n  }\n  groups(first: 5, where: {search: $text}) {\n    totalCount\n    nodes {\n      ...hit\n    }\n  }\n}\n\nfragment hit on Post {\n  __typename\n  id\n  title\n  link\n}": types.SearchDocument,
    "query Nodes($ids: [ID!]!) {\n  nodes(ids: $ids) {\n    id\n    __typename\n    ... on Post {\n      title\n      status\n    }\n    ... on Course {\n      priceTypeSlug\n    }\n    ... on PriceType {\n      name\n    }\n  }\n}": types.NodesDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query GroupsAndCourses($groups: Int = 3, $courses: Int = 4) {\n  groups(first: $groups) {\n    totalCount\n    nodes {\n      title\n      courses(first: $courses) {\n        totalCount\n        nodes {\n          title\n          priceType {\n            name\n          }\n          prerequisites {\n            title\n          }\n          lessons(first: 3) {\n            totalCount\n            nodes {\n              title\n            }\n          }\n        }\n      }\n    }\n  }\n}"): typeof import('./graphql.js').GroupsAndCoursesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query LearnerDashboard($user: ID!) {\n  user(id: $user) {\n    courseProgress(first: 20) {\n      totalCount\n      nodes {\n        status\n        stepsCompleted\n        stepsTotal\n        dateStarted\n        dateCompleted\n        course {\n          title\n          link\n          lessons(first: 5) {\n            nodes {\n              title\n              isSample\n            }\n          }\n        }\n      }\n    }\n  }\n}"): typeof import('./graphql.js').LearnerDashboardDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Catalogue($search: String, $after: String) {\n  courses(\n    first: 12\n    after: $after\n    where: {search: $search}\n    orderBy: {field: DATE, direction: DESC}\n  ) {\n    totalCount\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nodes {\n      id\n      title\n      slug\n      date\n      price\n      featuredMediaId\n      priceType {\n        name\n        description\n      }\n    }\n  }\n  priceTypes {\n    slug\n    name\n  }\n}"): typeof import('./graphql.js').CatalogueDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query CoursePage($id: ID!) {\n  course(id: $id) {\n    title\n    content\n    contentProtected\n    modified\n    author {\n      databaseId\n    }\n    prerequisites {\n      title\n      link\n    }\n    lessons(first: 100) {\n      nodes {\n        title\n        videoEnabled\n        quizzes(first: 5) {\n          nodes {\n            title\n            passingPercentage\n          }\n        }\n      }\n    }\n    quizzes(first: 10, where: {courseLevelOnly: true}) {\n      nodes {\n        title\n        threshold\n      }\n    }\n  }\n}"): typeof import('./graphql.js').CoursePageDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query GroupOverview($group: ID!, $learner: ID!) {\n  group(id: $group) {\n    title\n    parent {\n      title\n    }\n    courses(first: 10) {\n      totalCount\n      edges {\n        groupCourse {\n          priceTypePaynowPrice\n          progressionDisabled\n        }\n        node {\n          title\n          progressOf(user: $learner) {\n            status\n            stepsCompleted\n            stepsTotal\n          }\n        }\n      }\n    }\n  }\n}"): typeof import('./graphql.js').GroupOverviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query ProgressTable($first: ID!, $second: ID!) {\n  courses(first: 10, orderBy: {field: ID}) {\n    nodes {\n      title\n      first: progressOf(user: $first) {\n        ...standing\n      }\n      second: progressOf(user: $second) {\n        ...standing\n      }\n    }\n  }\n}\n\nfragment standing on CourseProgress {\n  status\n  stepsCompleted\n  stepsTotal\n}"): typeof import('./graphql.js').ProgressTableDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query QuizReview($one: ID!, $two: ID!, $three: ID!) {\n  one: question(id: $one) {\n    ...review\n  }\n  two: question(id: $two) {\n    ...review\n  }\n  three: question(id: $three) {\n    ...review\n  }\n}\n\nfragment review on Question {\n  title\n  question\n  answerType\n  points\n  quiz {\n    title\n    passingPercentage\n  }\n  answers {\n    answer\n    correct\n    points\n  }\n}"): typeof import('./graphql.js').QuizReviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Search($text: String!) {\n  courses(first: 5, where: {search: $text, searchColumns: [TITLE]}) {\n    totalCount\n    nodes {\n      ...hit\n    }\n  }\n  groups(first: 5, where: {search: $text}) {\n    totalCount\n    nodes {\n      ...hit\n    }\n  }\n}\n\nfragment hit on Post {\n  __typename\n  id\n  title\n  link\n}"): typeof import('./graphql.js').SearchDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Nodes($ids: [ID!]!) {\n  nodes(ids: $ids) {\n    id\n    __typename\n    ... on Post {\n      title\n      status\n    }\n    ... on Course {\n      priceTypeSlug\n    }\n    ... on PriceType {\n      name\n    }\n  }\n}"): typeof import('./graphql.js').NodesDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
