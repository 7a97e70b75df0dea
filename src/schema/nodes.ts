import type { Entity, Limits, Target } from '../engine/edges.js'
import { entityOf } from '../engine/edges.js'
import { Shape } from '../upstream/codec/records.js'
import { BadInputError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'
import { builder } from './builder.js'
import { keyOf, readGlobalId } from './ids.js'

/** What a global id means: type and key, or why it means nothing. */
interface Found {
  readonly type: string
  readonly key: Key
  readonly refused?: string
}

/** The entity of ids that mean nothing: it has no records. */
const NOTHING: Entity = { name: 'Node', shape: new Shape('Node', {}), key: 'id' }

/** Type and key of a global id; throws where there is no such type, or no such key of it. */
function readNodeId(argument: string, id: string, { hasType = () => true }: Limits): Found {
  const global = readGlobalId(id)
  const entity = global && hasType(global.type) ? entityOf(global.type) : undefined
  const key = global && entity && keyOf(entity, global.key)
  if (!global || key === undefined)
    throw new BadInputError(`\`${argument}\` must be a global id, as \`id\` of any type shows it: \`${id.slice(0, 40)}\` is none.`)
  return { type: global.type, key }
}

/** The same for one id of several, whose error is its own. */
function readListedNodeId(index: number, id: string, limits: Limits): Found {
  try {
    return readNodeId(`ids[${index}]`, id, limits)
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error
    return { type: NOTHING.name, key: index, refused: error.message }
  }
}

const targetOf = ({ type, key, refused }: Found): Target =>
  refused === undefined ? { entity: entityOf(type) as Entity, key } : { entity: NOTHING, key, refused: new BadInputError(refused) }

const entitiesOf = (found: readonly Found[]): Entity[] => [
  ...new Set(found.filter(({ refused }) => refused === undefined).map(({ type }) => entityOf(type) as Entity)),
]

builder.queryField('node', (t) =>
  t.lmsEdge({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'The record with this global id, of whatever type. Null when there is none. One REST call.',
    args: { id: t.arg.id({ required: true, description: 'Global id, as `id` of any type shows it.' }) },
    lmsEdge: (id) => ({
      kind: 'key',
      id,
      needs: [],
      prepare: ({ id }, { limits }) => [readNodeId('id', String(id), limits)],
      entities: (found) => entitiesOf(found as Found[]),
      targets: (_, found) => targetOf((found as Found[])[0] as Found),
    }),
  }),
)

const MAX_NODES = 500

builder.queryField('nodes', (t) =>
  t.lmsEdge({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    semanticNonNull: [0],
    description:
      'The records with these global ids, in this order, of whatever types. A missing one is a null item; an id that is none is a null item with an error. One REST call for each 100 of a type.',
    args: { ids: t.arg.idList({ required: true, description: 'Global ids, at most 500.' }) },
    lmsEdge: (id) => ({
      kind: 'key',
      id,
      needs: [],
      prepare: ({ ids }, { limits }) => {
        const list = ids as readonly unknown[]
        if (list.length > MAX_NODES) throw new BadInputError(`\`ids\` holds ${list.length} ids; at most ${MAX_NODES} are allowed.`)
        return list.map((id, index) => readListedNodeId(index, String(id), limits))
      },
      entities: (found) => entitiesOf(found as Found[]),
      targets: (_, found) => (found as Found[]).map(targetOf),
    }),
  }),
)
