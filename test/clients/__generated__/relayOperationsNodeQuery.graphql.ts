/**
 * @generated SignedSource<<194891e4010909544767094adc5634f5>>
 * @relayHash e5ee5779d3d63805c10c07037113c398
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 55ce83358cb548a8e7d7f0e6501c4594b47b220c641d3bd939bd88477faf5f36

import { ConcreteRequest } from 'relay-runtime';
export type relayOperationsNodeQuery$variables = {
  id: string;
};
export type relayOperationsNodeQuery$data = {
  readonly node: {
    readonly id: string;
    readonly menuOrder?: number | null | undefined;
    readonly title?: string | null | undefined;
  } | null | undefined;
};
export type relayOperationsNodeQuery = {
  response: relayOperationsNodeQuery$data;
  variables: relayOperationsNodeQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v3 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "title",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "menuOrder",
      "storageKey": null
    }
  ],
  "type": "Course",
  "abstractKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "relayOperationsNodeQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v3/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayOperationsNodeQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          (v2/*:: as any*/),
          (v3/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "55ce83358cb548a8e7d7f0e6501c4594b47b220c641d3bd939bd88477faf5f36",
    "metadata": {},
    "name": "relayOperationsNodeQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "9495413682e46735ca41756cd13765b8";

export default node;
