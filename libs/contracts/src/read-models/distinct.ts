import { key, readModel, sum } from './read-model';

/** Distinct visitors or sessions per value, in blocks of days; read like a dimension (see website-dimensions). */
export const distinct = (name: string) =>
  readModel(name, {
    website: key('integer'),
    span: key('smallint'),
    day: key('date'),
    value: key('integer'),
    previous_day: key('date'),
    distinct_count: sum('integer'),
  });

export type Distinct = ReturnType<typeof distinct>;
