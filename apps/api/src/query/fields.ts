/** A field of a row as callers see it described. */
export interface Field {
  readonly type: 'string' | 'integer' | 'number' | 'timestamp' | 'array';
  readonly unit?: string;
  /** May be null: nothing to take a median of, or unknown. */
  readonly nullable?: true;
}

export type Fields = Readonly<Record<string, Field>>;

export const text: Field = { type: 'string' };
export const count: Field = { type: 'integer' };
export const percent: Field = { type: 'number', unit: 'percent' };
export const ratio: Field = { type: 'number' };
export const seconds: Field = { type: 'number', unit: 'seconds' };
export const timestamp: Field = { type: 'timestamp' };
export const list: Field = { type: 'array' };

export const orNull = (field: Field): Field => ({ ...field, nullable: true });
