import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '../event-schemas';
import { linesOf } from './golden-logs';

/** The shape of the data of one version of a type. */
interface KeptSchema {
  readonly type: string;
  readonly version: number;
  readonly schema: Schema;
}

/** One a line; lines are only ever added. */
const FILE = join(__dirname, 'schemas.ndjson');

export const keptSchemas = (): readonly KeptSchema[] => linesOf(FILE).map((line) => JSON.parse(line) as KeptSchema);

export const keepSchemas = (schemas: readonly KeptSchema[]): void =>
  appendFileSync(FILE, schemas.map((schema) => `${JSON.stringify(schema)}\n`).join(''));

/** Set to add what is missing to the golden files. */
export const isUpdating = process.env['UPDATE_GOLDEN'] !== undefined;
