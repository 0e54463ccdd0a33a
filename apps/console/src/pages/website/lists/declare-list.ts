import type { QueryTypeName, RowOf } from '@ledgerline/client';
import type { WebsiteFilterName } from '@ledgerline/contracts/attributes';
import { type Kind, isText } from '../format';

/** A field of the api's rows: how it is called and shown, and what it means (docs/definitions.md). */
interface FieldText {
  readonly header: string;
  readonly kind: Kind;
  readonly meaning?: string;
  /** A median or percentile, within 1 %; everything else is exact. */
  readonly isEstimate?: true;
  /** Less of it is better. */
  readonly isBad?: true;
}

const count = (header: string, meaning?: string): FieldText => ({
  header,
  kind: 'count',
  ...(meaning ? { meaning } : {}),
});
const rate = (header: string, meaning: string): FieldText => ({ header, kind: 'percent', meaning });
const time = (header: string): FieldText => ({ header, kind: 'time' });
const text = (header: string): FieldText => ({ header, kind: 'text' });
const average = (header: string, kind: Kind, meaning: string): FieldText => ({ header, kind, meaning });
const estimate = (header: string, kind: Kind, meaning: string): FieldText => ({
  header,
  kind,
  meaning,
  isEstimate: true,
});

const bad = (field: FieldText): FieldText => ({ ...field, isBad: true });

const PERCENTILE = 'The value that so many percent of the samples do not exceed.';
const VISITORS = 'Distinct visitors with a page view. Bots are not counted.';
const CLICKS = 'Every redirect of a person; bots and previews are not counted.';
const USERS = 'Distinct visitors of these events; no page view is needed.';
const OF_PROPERTY = 'Of all numeric values of the property in the range.';
const DURATION = 'From the first event to the last one, or to the end of the last page view where it is later.';

/** Every field that is shown, by its name in the api. */
const FIELDS = {
  active_users: count('Now', 'Visitors with any event in the last five minutes.'),
  total: count('Clicks', CLICKS),
  clicks: count('Clicks', CLICKS),
  unique: count('Visitors by day', 'A visitor is counted once a day: the same person on two days counts twice.'),
  pageviews: count('Page views', 'Views of pages, each by its own time.'),
  page_views: count('Page views', 'Views of pages, each by its own time.'),
  visitors: count('Visitors', VISITORS),
  unique_visitors: count('Visitors', VISITORS),
  sessions: count(
    'Sessions',
    'Visits with a page view, by the time of the first one. Without a session id, 30 minutes without an event end it.',
  ),
  bounce_rate: bad(
    rate('Bounce rate', 'Sessions with one page view, less than 10 s on it, no custom event and no outgoing link.'),
  ),
  median_session_duration: estimate('Median duration', 'seconds', `Half of the sessions are shorter. ${DURATION}`),
  total_events: count('Events', 'Page views, custom events and outgoing links, each by its own time.'),
  percentage: rate('Share', 'Of all visitors (events, clicks) of the range; one in several rows counts in each.'),
  unique_event_types: count('Names', 'Distinct names of custom events.'),
  unique_users: count('Visitors', USERS),
  unique_sessions: count('Sessions', 'Distinct sessions of these events.'),
  users: count('Visitors', 'Distinct visitors with an error; no page view is needed.'),
  first_occurrence: time('First'),
  last_occurrence: time('Last'),
  events_with_properties: count('With properties'),
  count: count('Count'),
  numeric_count: count('Numbers', OF_PROPERTY),
  numeric_sum: average('Sum', 'number', OF_PROPERTY),
  numeric_average: average('Average', 'number', OF_PROPERTY),
  total_clicks: count('Clicks'),
  unique_links: count('Addresses'),
  last_clicked: time('Last click'),
  last_seen: time('Last'),
  total_errors: bad(count('Errors', 'Errors that nothing on the page caught.')),
  errors: bad(count('Errors', 'Errors that nothing on the page caught.')),
  unique_errors: bad(count('Messages', 'Distinct messages.')),
  affected_users: bad(count('Visitors', 'Distinct visitors with an error; no page view is needed.')),
  affected_sessions: bad(count('Sessions', 'Distinct sessions with an error.')),
  error_rate: bad(
    rate('Error rate', 'Sessions with an error in all sessions of the range; of a page, errors in its page views.'),
  ),
  timestamp: time('Time'),
  p50: estimate('p50', 'number', PERCENTILE),
  p75: estimate('p75', 'number', PERCENTILE),
  p90: estimate('p90', 'number', PERCENTILE),
  p95: estimate('p95', 'number', PERCENTILE),
  p99: estimate('p99', 'number', PERCENTILE),
  avg_value: average('Average', 'number', 'Of all samples.'),
  samples: count('Samples', 'How often it was measured.'),
  sessions_with_time: count('Sessions', 'Sessions in which the time on the page is known.'),
  median_time_on_page: estimate('Median time', 'seconds', 'Of the visits of the page that report it.'),
  avg_scroll_depth: rate('Scroll depth', 'The average of the deepest point of each visit of a page.'),
  total_sessions: count('Sessions'),
  avg_interactions: average('Interactions', 'number', 'Clicks, keys and scrolls of a session that reports them.'),
  interactive_sessions: count('Interactive', 'Sessions with at least one interaction.'),
  interaction_rate: rate('Interaction rate', 'Interactive sessions among those that report engagement.'),
  rage_click_rate: rate('Rage clicks', 'Per page view.'),
  dead_click_rate: rate('Dead clicks', 'Per page view.'),
  conversions: count('Conversions', 'Events that reach the goal.'),
  revenue: { header: 'Revenue', kind: 'revenue' },
  converted: count('Converted', 'Visitors of the row who reached the goal.'),
  conversion_rate: rate('Conversion rate', 'Of the visitors, those who reached the goal.'),
  top_dead_click_target: text('Most dead clicks on'),
  top_rage_click_target: text('Most rage clicks on'),
  form_starts: count('Starts', 'Engagement spans in which a field was touched.'),
  form_submits: count('Submits', 'Engagement spans with a submit.'),
  abandonment_rate: rate('Abandoned', 'Starts without a submit, in all starts.'),
  top_abandoned_field: text('Last field'),
  avg_time_on_page: average('Time', 'seconds', 'Of the visits of the page that report it.'),
  avg_active_time: average('Active time', 'seconds', 'The page is visible, and something was done within 30 s.'),
  attention_ratio: average('Attention', 'number', 'Active time in the time on the page, from 0 to 1.'),
  median_time_to_first_interaction: estimate('First interaction', 'milliseconds', 'Of the spans that report it.'),
  transitions: count('Steps', 'From one page view of a session to its next one, reloads included.'),
  first_visit: time('First event'),
  last_visit: time('Last event'),
  duration: average('Duration', 'seconds', DURATION),
  total_duration: average('Time in all', 'seconds', 'The sum of the durations of the sessions.'),
  session_count: count('Sessions', 'Sessions with a page view in the range.'),
  unique_pages: count('Pages', 'Distinct paths of these sessions.'),
  custom_event_count: count('Custom events', 'Of these sessions.'),
} as const satisfies Readonly<Record<string, FieldText>>;

const FIELDS_BY_NAME: Readonly<Record<string, FieldText>> = FIELDS;

/** A field that is shown under its own name. */
export const fieldNamed = (name: string): FieldText => FIELDS_BY_NAME[name] ?? { header: name, kind: 'text' };

/** A column of a list, from a declaration. */
export interface ListColumn extends FieldText {
  readonly field: string;
  /** Its values can be filtered by: this field of filters. */
  readonly filter?: WebsiteFilterName;
  /** Its values are ids of pages of the console. */
  readonly opens?: 'visitor' | 'session';
}

/** The declaration of how a list of the api is shown. */
export interface ListDeclaration {
  readonly type: QueryTypeName;
  readonly title: string;
  readonly columns: readonly ListColumn[];
  /** The fields that it can be sorted by. */
  readonly sorts: readonly string[];
  /** The field that is drawn as a bar behind the rows, beside the longest one, unless they are sorted by another count. */
  readonly share: string | undefined;
  /** The count that the api sorts it by, if it is one of its counts. */
  readonly sorted: string | undefined;
  readonly isCompared: boolean;
  readonly minimum: Minimum | undefined;
}

/** Rows with less are left out until they are asked for, as their other figures say little. */
interface Minimum {
  readonly least: number;
  /** The words for what it counts. */
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
  /** True if its texts, not its counts, say in which order it is. */
  readonly isScale?: true;
  readonly minimum?: Minimum;
  /** All columns if absent. */
  readonly sorts?: readonly (keyof RowOf<Name> & string)[];
}

/** A list whose columns are these labels and figures. */
export function metricList<const Name extends QueryTypeName>(type: Name, shown: Shown<Name>): ListDeclaration {
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
    sorted: shown.isScale ? undefined : shown.share,
    isCompared: shown.sorts === undefined,
    minimum: shown.minimum,
  };
}

/** A list whose rows say how many reach a goal, in the place of its other figures. */
export const seenByGoal = (declared: ListDeclaration, hasRevenue: boolean): ListDeclaration => {
  const [naming] = declared.columns;
  const figures = ['visitors', 'conversions', 'conversion_rate'];
  return {
    ...declared,
    columns: [
      ...(naming ? [naming] : []),
      ...[...figures, ...(hasRevenue ? ['revenue'] : [])].map((field) => ({ ...fieldNamed(field), field })),
    ],
    sorts: ['name', ...figures],
    share: 'visitors',
    sorted: 'visitors',
  };
};
