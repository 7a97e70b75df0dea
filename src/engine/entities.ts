import type { Entity } from './edges.js'

/** All entities by their type name. */
const entities = new Map<string, Entity>()

export const register = (entity: Entity): void => {
  entities.set(entity.name, entity)
}

export const entityOf = (type: string): Entity | undefined => entities.get(type)
