import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { PAGE_TEXT, pageEvents, pageTexts } from '@ledgerline/contracts/read-models/page-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { ERROR_TEXT, errorTexts } from '@ledgerline/contracts/read-models/website-errors';
import { pageVitals } from '@ledgerline/contracts/read-models/website-vitals';
import { durationBin } from '@ledgerline/domain/sessions/duration-bins';
import type { Value } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';

export type FactColumns = Readonly<Record<string, Value>>;

/** What rows of facts add up to, by day of the website's zone; those that are superseded add nothing. */
export interface FactSum {
  readonly builds: ReadModel;
  /** Rows without website, span and day, of an event at an instant. */
  readonly rowsOf: (columns: FactColumns, at: number) => readonly FactColumns[];
}

const NO_EVENTS = {
  ...{ custom_events: 0, errors: 0, rage_clicks: 0, dead_clicks: 0, form_starts: 0, form_submits: 0 },
  ...{ active: 0, active_ms: 0, attentive_ms: 0, attended_ms: 0, first_interaction_bins: [] },
};

const pageSum = (columnsOf: (columns: FactColumns) => FactColumns): FactSum => ({
  builds: pageEvents,
  rowsOf: (columns) => [{ value: columns['path'] ?? NO_TEXT, ...NO_EVENTS, ...columnsOf(columns) }],
});

const textRow = (kind: number, { path = NO_TEXT }: FactColumns, text: Value | undefined, times: number) =>
  times > 0 && text !== NO_TEXT ? [{ kind, value: path, text: text ?? NO_TEXT, times }] : [];

/** The columns of a table of facts that can be added up, in SQL. */
export const numbersOf = ({ columns }: ReadModel): string =>
  Object.entries(columns)
    .filter(([, { type, merge }]) => merge !== 'key' && /^(smallint|integer|bigint)/.test(type))
    .map(([name]) => `${identifier(name).text}::float8`)
    .join(', ');

const numberOf = (value: Value | undefined): number => (typeof value === 'number' ? value : 0);

export const errorSums: readonly FactSum[] = [
  pageSum(() => ({ errors: 1 })),
  {
    builds: errorTexts,
    rowsOf: ({ error_type = NO_TEXT, message = NO_TEXT }, at) => [
      { kind: ERROR_TEXT.type, value: error_type, errors: 1, last_at: at },
      { kind: ERROR_TEXT.message, value: message, errors: 1, last_at: at },
    ],
  },
];

export const eventSums: readonly FactSum[] = [
  pageSum(() => ({ custom_events: 1 })),
  { builds: pageTexts, rowsOf: ({ path = NO_TEXT, name = NO_TEXT }) => [nameRow(path, name)] },
];

/** A name may be missing, and is counted as one. */
const nameRow = (value: Value, text: Value): FactColumns => ({ kind: PAGE_TEXT.eventName, value, text, times: 1 });

export const spanSums: readonly FactSum[] = [
  pageSum(({ time_ms, active_ms, first_interaction_ms: first, ...counts }) => ({
    rage_clicks: numberOf(counts['rage_clicks']),
    dead_clicks: numberOf(counts['dead_clicks']),
    form_starts: numberOf(counts['form_fields']) > 0 ? 1 : 0,
    form_submits: numberOf(counts['form_submits']) > 0 ? 1 : 0,
    active: active_ms === null ? 0 : 1,
    active_ms: numberOf(active_ms),
    attentive_ms: time_ms === null ? 0 : numberOf(active_ms),
    attended_ms: active_ms === null ? 0 : numberOf(time_ms),
    first_interaction_bins: first === null ? [] : [durationBin(numberOf(first)), 1],
  })),
  {
    builds: pageTexts,
    rowsOf: (span) => [
      ...textRow(PAGE_TEXT.rageTarget, span, span['rage_target'], numberOf(span['rage_clicks'])),
      ...textRow(PAGE_TEXT.deadTarget, span, span['dead_target'], numberOf(span['dead_clicks'])),
      ...textRow(PAGE_TEXT.abandonedField, span, span['last_field'], isAbandoned(span) ? 1 : 0),
    ],
  },
];

const isAbandoned = ({ form_fields: fields, form_submits: submits }: FactColumns): boolean =>
  numberOf(fields) > 0 && numberOf(submits) <= 0;

export const vitalSums: readonly FactSum[] = [
  {
    builds: pageVitals,
    rowsOf({ path = NO_TEXT, metric = null, micros = null }) {
      const sums = { metric, samples: 1, micros, bins: [durationBin(numberOf(micros)), 1] };
      return [path, EVERY_VALUE].map((value) => ({ value, ...sums }));
    },
  },
];
