import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Bucket, Granularity } from '@ledgerline/domain/query/buckets';
import type { Order, Page } from '@ledgerline/domain/query/rows';
import type { Sql } from '@ledgerline/platform/database/sql';

/** One query type asked of one subject: all an answer depends on. */
export type Question = WebsiteQuestion | LinkQuestion;

interface QuestionBasics {
  readonly zone: string;
  readonly startDate: string;
  readonly endDate: string;
  /** The range as instants (epoch ms), end excluded. */
  readonly from: number;
  readonly to: number;
  readonly granularity: Granularity;
  /** Of the range up to now; a series has one row for each. Other shapes have none. */
  readonly buckets: readonly Bucket[];
  /** Epoch ms. */
  readonly now: number;
  readonly page: Page;
  /** The order the request names; null = the type's own. */
  readonly sort: Order | null;
  /** The table of a read model in the version that answers. */
  readonly table: (model: ReadModel) => Sql;
}

export interface WebsiteQuestion extends QuestionBasics {
  readonly about: 'website';
  /** Word id of the website. */
  readonly website: number;
  /** The zone of the website's own days. */
  readonly ownZone: string;
  readonly filters: readonly WordFilter[];
}

export interface LinkQuestion extends QuestionBasics {
  readonly about: 'link';
  readonly link: string;
  readonly filters: readonly TextFilter[];
}

/** A filter as the ids of the words that match; 0 stands for the missing value. */
export interface WordFilter {
  readonly field: string;
  readonly ids: readonly number[];
  readonly negated: boolean;
}

/** A filter as the texts that match; '' stands for the missing value. */
export interface TextFilter {
  readonly field: string;
  readonly texts: readonly string[];
  readonly negated: boolean;
}
