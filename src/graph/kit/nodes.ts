import { keyEdge, type Target } from '../../model/edge.js'
import type { Entities, Entity } from '../../model/entity.js'
import { NULL_ONLY_ON_ERROR } from '../../model/marks.js'
import { Shape } from '../../upstream/codec/records.js'
import { BadInputError } from '../../upstream/errors.js'
import type { Key } from '../../upstream/routes.js'
import { builder } from './builder.js'
import { keyOf, readGlobalId } from './ids.js'

/** The record of a global id, or the reason why the id is invalid. */
class NodeId {
  constructor(
    readonly entity: Entity,
    private readonly key: Key,
    private readonly reason?: string,
  ) {}

  get target(): Target {
    const { entity, key, reason } = this
    return reason === undefined ? { entity, key } : { entity, key, refused: new BadInputError(reason) }
  }

  /** Arguments are equal when their JSON is. */
  toJSON(): unknown {
    return [this.entity.name, this.key, this.reason]
  }
}

/** The entity of invalid ids: it has no records. */
const INVALID: Entity = { name: 'Node', shape: new Shape('Node', {}), key: 'id' }

/** Parses a global id. Throws for an unknown type or an invalid key. */
function readNodeId(argument: string, id: string, entities: Entities): NodeId {
  const global = readGlobalId(id)
  const entity = global && entities.get(global.type)
  const key = entity && keyOf(entity, global.key)
  if (!entity || key === undefined)
    throw new BadInputError(`\`${argument}\` must be a global id (the field \`id\` of any type), not \`${id.slice(0, 40)}\`.`)
  return new NodeId(entity, key)
}

/** The same for one id of several: keeps the error, which concerns only this id. */
function readListedNodeId(index: number, id: string, entities: Entities): NodeId {
  try {
    return readNodeId(`ids[${index}]`, id, entities)
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error
    return new NodeId(INVALID, index, error.message)
  }
}

const entitiesOf = (nodes: readonly NodeId[]): Entity[] =>
  [...new Set(nodes.map(({ entity }) => entity))].filter((entity) => entity !== INVALID)

builder.queryField('node', (t) =>
  t.lmsEdge({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'The record with this global id, of any type. Null when it does not exist. One REST call.',
    args: { id: t.arg.id({ required: true, description: 'Global id: the field `id` of any type.' }) },
    lmsEdge: (id) =>
      keyEdge<NodeId>(id, {
        parse: ({ id }, { entities }) => readNodeId('id', String(id), entities),
        entities: (node) => entitiesOf([node]),
        targets: (_, { target }) => target,
      }),
  }),
)

const MAX_NODES = 500

builder.queryField('nodes', (t) =>
  t.lmsEdge({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    semanticNonNull: NULL_ONLY_ON_ERROR,
    description:
      'The records with these global ids, in this order, of any types. A missing record is a null item; an invalid id is a null item with an error. One REST call for each 100 of a type.',
    args: { ids: t.arg.idList({ required: true, description: 'Global ids, at most 500.' }) },
    lmsEdge: (id) =>
      keyEdge<readonly NodeId[]>(id, {
        parse: ({ ids }, { entities }) => {
          const list = ids as readonly unknown[]
          if (list.length > MAX_NODES) throw new BadInputError(`\`ids\` holds ${list.length} ids; at most ${MAX_NODES} are allowed.`)
          return list.map((id, index) => readListedNodeId(index, String(id), entities))
        },
        entities: entitiesOf,
        targets: (_, nodes) => nodes.map(({ target }) => target),
      }),
  }),
)
