import type { Limits, Target } from '../../model/edge.js'
import { type Entity, entityOf } from '../../model/entity.js'
import { NULL_ONLY_ON_ERROR } from '../../model/marks.js'
import { Shape } from '../../upstream/codec/records.js'
import { BadInputError } from '../../upstream/errors.js'
import type { Key } from '../../upstream/routes.js'
import { builder } from './builder.js'
import { keyOf, readGlobalId } from './ids.js'

/** Type and key of a global id, or the reason why it is invalid. */
interface ParsedId {
  readonly type: string
  readonly key: Key
  readonly error?: string
}

/** The entity of invalid ids: it has no records. */
const INVALID: Entity = { name: 'Node', shape: new Shape('Node', {}), key: 'id' }

/** Returns type and key of a global id. Throws for an unknown type or an invalid key. */
function readNodeId(argument: string, id: string, { hasType = () => true }: Limits): ParsedId {
  const global = readGlobalId(id)
  const entity = global && hasType(global.type) ? entityOf(global.type) : undefined
  const key = global && entity && keyOf(entity, global.key)
  if (!global || key === undefined)
    throw new BadInputError(`\`${argument}\` must be a global id (the field \`id\` of any type), not \`${id.slice(0, 40)}\`.`)
  return { type: global.type, key }
}

/** The same for one id of several: returns the error, which concerns only this id. */
function readListedNodeId(index: number, id: string, limits: Limits): ParsedId {
  try {
    return readNodeId(`ids[${index}]`, id, limits)
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error
    return { type: INVALID.name, key: index, error: error.message }
  }
}

const targetOf = ({ type, key, error }: ParsedId): Target =>
  error === undefined ? { entity: entityOf(type) as Entity, key } : { entity: INVALID, key, refused: new BadInputError(error) }

const entitiesOf = (nodes: readonly ParsedId[]): Entity[] => [
  ...new Set(nodes.filter(({ error }) => error === undefined).map(({ type }) => entityOf(type) as Entity)),
]

builder.queryField('node', (t) =>
  t.lmsEdge({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'The record with this global id, of any type. Null when it does not exist. One REST call.',
    args: { id: t.arg.id({ required: true, description: 'Global id: the field `id` of any type.' }) },
    lmsEdge: (id) => ({
      kind: 'key',
      id,
      needs: [],
      parse: ({ id }, { limits }) => [readNodeId('id', String(id), limits)],
      entities: (nodes) => entitiesOf(nodes as ParsedId[]),
      targets: (_, nodes) => targetOf((nodes as ParsedId[])[0] as ParsedId),
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
    lmsEdge: (id) => ({
      kind: 'key',
      id,
      needs: [],
      parse: ({ ids }, { limits }) => {
        const list = ids as readonly unknown[]
        if (list.length > MAX_NODES) throw new BadInputError(`\`ids\` holds ${list.length} ids; at most ${MAX_NODES} are allowed.`)
        return list.map((id, index) => readListedNodeId(index, String(id), limits))
      },
      entities: (nodes) => entitiesOf(nodes as ParsedId[]),
      targets: (_, nodes) => (nodes as ParsedId[]).map(targetOf),
    }),
  }),
)
