/**
 * @generated SignedSource<<a6b283dce89e7a1d9d1ae7573e6da07d>>
 * @relayHash 11ec4e4d2f376fd02e04dc71909d9890
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d65e5e535d6ab95bad9f094d3de32146348a267988aa26980905ce381c97cdfe

import { ConcreteRequest } from 'relay-runtime';
export type ErrorCode = "ANSWER_TOO_LARGE" | "BAD_REQUEST" | "BAD_USER_INPUT" | "BODY_TOO_LARGE" | "CACHE_UNAVAILABLE" | "CALL_BUDGET_EXCEEDED" | "CONFLICT" | "DOCUMENT_NOT_TRUSTED" | "FORBIDDEN" | "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED" | "INTERNAL_SERVER_ERROR" | "LIMIT_EXCEEDED" | "NOT_AVAILABLE" | "NOT_FOUND" | "OPERATION_RESOLUTION_FAILURE" | "PERSISTED_QUERY_NOT_FOUND" | "RATE_LIMITED" | "RECORD_UNRESOLVED" | "REQUEST_CANCELLED" | "REQUEST_TIMEOUT" | "SERVER_BUSY" | "UNAUTHENTICATED" | "UNKNOWN" | "UPSTREAM_BUSY" | "UPSTREAM_INVALID_RESPONSE" | "UPSTREAM_RATE_LIMITED" | "UPSTREAM_REJECTED" | "UPSTREAM_TIMEOUT" | "UPSTREAM_UNAVAILABLE";
export type PostStatusInput = "DRAFT" | "FUTURE" | "GRADED" | "NOT_GRADED" | "PENDING" | "PRIVATE" | "PUBLISH";
export type PrerequisiteCompareInput = "ALL" | "ANY";
export type UpdateCourseInput = {
  authorId?: string | null | undefined;
  categoryIds?: ReadonlyArray<number> | null | undefined;
  content?: string | null | undefined;
  courseCategoryIds?: ReadonlyArray<number> | null | undefined;
  courseTagIds?: ReadonlyArray<number> | null | undefined;
  customButtonLabel?: string | null | undefined;
  customButtonUrl?: string | null | undefined;
  date?: any | null | undefined;
  dateGmt?: any | null | undefined;
  disableLessonProgression?: boolean | null | undefined;
  expireAccess?: boolean | null | undefined;
  expireAccessDays?: number | null | undefined;
  expireAccessDeleteProgress?: boolean | null | undefined;
  featuredMediaId?: number | null | undefined;
  id: string;
  materials?: any | null | undefined;
  menuOrder?: number | null | undefined;
  meta?: any | null | undefined;
  password?: string | null | undefined;
  points?: number | null | undefined;
  pointsAccess?: number | null | undefined;
  pointsEnabled?: boolean | null | undefined;
  prerequisiteCompare?: PrerequisiteCompareInput | null | undefined;
  prerequisiteEnabled?: boolean | null | undefined;
  prerequisiteIds?: ReadonlyArray<string> | null | undefined;
  price?: string | null | undefined;
  priceTypeSlug?: string | null | undefined;
  slug?: string | null | undefined;
  status?: PostStatusInput | null | undefined;
  tagIds?: ReadonlyArray<number> | null | undefined;
  template?: string | null | undefined;
  title?: string | null | undefined;
};
export type relayOperationsRenameMutation$variables = {
  input: UpdateCourseInput;
};
export type relayOperationsRenameMutation$data = {
  readonly updateCourse: {
    readonly __typename: string;
    readonly code?: ErrorCode;
    readonly course?: {
      readonly id: string;
      readonly title: string | null | undefined;
    } | null | undefined;
    readonly fields?: ReadonlyArray<{
      readonly field: string;
    }>;
    readonly message?: string;
  } | null | undefined;
};
export type relayOperationsRenameMutation = {
  response: relayOperationsRenameMutation$data;
  variables: relayOperationsRenameMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "input",
        "variableName": "input"
      }
    ],
    "concreteType": null,
    "kind": "LinkedField",
    "name": "updateCourse",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "__typename",
        "storageKey": null
      },
      {
        "kind": "InlineFragment",
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Course",
            "kind": "LinkedField",
            "name": "course",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "id",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "title",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "UpdateCourseSuccess",
        "abstractKey": null
      },
      {
        "kind": "InlineFragment",
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "InvalidField",
            "kind": "LinkedField",
            "name": "fields",
            "plural": true,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "field",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "InvalidInputError",
        "abstractKey": null
      },
      {
        "kind": "InlineFragment",
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "code",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "message",
            "storageKey": null
          }
        ],
        "type": "LmsError",
        "abstractKey": "__isLmsError"
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "relayOperationsRenameMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayOperationsRenameMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "d65e5e535d6ab95bad9f094d3de32146348a267988aa26980905ce381c97cdfe",
    "metadata": {},
    "name": "relayOperationsRenameMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "3faecdd315db68a07277b0e734b8a729";

export default node;
