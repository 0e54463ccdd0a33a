import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { declarationOf, type TableDeclaration } from '../database/read-model-tables';
import { textHash } from '../database/sql';

/** Names the build that declares tables in this way. */
export const programOf = (tables: readonly { readonly name: string; readonly declaration: TableDeclaration }[]) =>
  textHash(
    JSON.stringify(
      tables
        .map(({ name, declaration: { meaning, columns } }) => [
          name,
          meaning,
          ...Object.entries(columns).map(String).sort(),
        ])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  );

export const programWith = (models: readonly ReadModel[]): string =>
  programOf(models.map((model) => ({ name: model.name, declaration: declarationOf(model) })));
