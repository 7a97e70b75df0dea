/**
 * @generated SignedSource<<68e575a61bfdf14399c9657561fd2fcf>>
 * @relayHash d6256776d5f90cc1a3d9939de4e4d5db
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 0af2554da1202eb6fbb004c8d94829d05c2e8d949898ee83685839517abb26c4

import { ConcreteRequest } from 'relay-runtime';
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
    readonly code?: string;
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
        "type": "Error",
        "abstractKey": "__isError"
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
    "id": "0af2554da1202eb6fbb004c8d94829d05c2e8d949898ee83685839517abb26c4",
    "metadata": {},
    "name": "relayOperationsRenameMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "af4b69958e07ce7eb996e70cb0214e54";

export default node;
