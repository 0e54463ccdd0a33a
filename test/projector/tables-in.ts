import type { WrittenTables } from '../../apps/projector/src/projections/projection-group';

/** All tables of a group in one schema, as a version without replaced tables has them. */
export const tablesIn = (schema: string): WrittenTables => ({
  state: schema,
  targetsOf: (model) => [{ schema, model }],
});
