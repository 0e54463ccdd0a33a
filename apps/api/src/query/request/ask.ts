import type { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Row } from '@ledgerline/domain/query/rows';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Query } from '@nestjs/cqrs';

/** A question as it arrived: who asks what, of which website or link. */
export interface QueryCall {
  readonly caller: Caller;
  readonly websiteId: unknown;
  readonly linkId: unknown;
  /** Of the query string. */
  readonly timezone: unknown;
  /** A log position the answer must include, if that can be had soon. */
  readonly minPosition: string | undefined;
  readonly body: unknown;
}

export class AskQuestions extends Query<QueryAnswer> {
  constructor(readonly asked: QueryCall) {
    super();
  }
}

export type QueryAnswer = RequestAnswer | BatchAnswer;

export interface BatchAnswer {
  readonly success: true;
  readonly batch: true;
  readonly results: readonly Omit<RequestAnswer, 'success'>[];
}

export interface RequestAnswer {
  readonly success: true;
  readonly queryId: string;
  readonly data: readonly Entry[];
  readonly meta: Meta;
}

/** Why an entry failed. JSON leaves symbols out, so that answers have only the message. */
export const PROBLEM = Symbol('problem');

/** The answer to one parameter. */
export type Entry =
  | { readonly parameter: string; readonly id?: string; readonly success: true; readonly data: readonly Row[] }
  | {
      readonly parameter: string;
      readonly id?: string;
      readonly success: false;
      readonly error: string;
      readonly [PROBLEM]: Problem;
      readonly data: readonly [];
    };

export interface Meta {
  readonly parameters: readonly string[];
  readonly total_parameters: number;
  readonly page: number;
  readonly limit: number;
  readonly filters_applied: number;
  readonly startDate: string;
  readonly endDate: string;
  readonly timezone: string;
  readonly granularity: string;
  readonly visitorIdentity: string;
  readonly asOf: string | null;
  readonly lagMs: number;
  readonly notes: readonly string[];
}
