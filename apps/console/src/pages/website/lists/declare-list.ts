import type { QueryTypeName, RowOf } from '@ledgerline/client';
import type { WebsiteFilter } from '@ledgerline/contracts/attributes';
import { fieldNamed, type FieldText } from './fields';
import { isText, type Kind } from '../format';

/** A column of a list, from a declaration. */
export interface ListColumn extends FieldText {
  readonly field: string;
  /** Its values can be filtered by: this field of filters. */
  readonly filter?: WebsiteFilter;
  /** Its values are ids of pages of the console. */
  readonly opens?: 'visitor' | 'session';
}

/** How a list of the api is shown. */
export interface ListDeclaration {
  readonly type: QueryTypeName;
  readonly title: string;
  readonly columns: readonly ListColumn[];
  /** The fields that it can be sorted by. */
  readonly sorts: readonly string[];
  /** The field that is drawn as a bar behind the rows, beside the longest one. */
  readonly share: string | undefined;
  readonly isCompared: boolean;
  readonly minimum: Minimum | undefined;
}

/** Rows with less are left out until they are asked for, as their other figures say little. */
interface Minimum {
  readonly least: number;
  /** Of what, in words. */
  readonly of: string;
}

export type Label = Omit<ListColumn, 'field' | 'kind'> & { readonly kind?: Kind };

interface Shown<Name extends QueryTypeName> {
  readonly title: string;
  /** Texts, and fields that are not called as everywhere. */
  readonly labels: { readonly [Field in keyof RowOf<Name>]?: Label };
  /** Fields in the order of their columns, after the labels. */
  readonly figures: readonly (keyof RowOf<Name> & string)[];
  readonly share?: keyof RowOf<Name> & string;
  readonly minimum?: Minimum;
  /** All columns if absent. */
  readonly sorts?: readonly (keyof RowOf<Name> & string)[];
}

/** A list whose columns are these labels and figures. */
export function list<const Name extends QueryTypeName>(type: Name, shown: Shown<Name>): ListDeclaration {
  const labels = Object.entries<Label | undefined>(shown.labels).map(([field, label]) => ({
    ...fieldNamed(field),
    kind: 'text' as const,
    ...label,
    field,
  }));
  const figures = shown.figures.map((field) => ({ ...fieldNamed(field), field }));
  return {
    type,
    title: shown.title,
    columns: [...labels, ...figures],
    sorts: shown.sorts ?? [...labels.filter(({ kind }) => isText(kind)).map(({ field }) => field), ...shown.figures],
    share: shown.share,
    isCompared: shown.sorts === undefined,
    minimum: shown.minimum,
  };
}
