import { rememberOfPerson, rememberedOfPerson } from '../../../layout/remembered';
import { optionalText } from '../../search-params';
import { DEFAULT_PRESET, type RangeSearch, type ViewSearch, readAddress } from './view-search';

/** The request that a view asks of a website, a link or several. Without a time zone the api takes the website's own. */
export const scopeOf = <Target extends object>(
  target: Target,
  { from, to, preset, timezone, filters = [], segment, snapshot }: ViewSearch,
) => ({
  ...target,
  ...(from !== undefined && to !== undefined ? { startDate: from, endDate: to } : { preset: preset ?? DEFAULT_PRESET }),
  ...(timezone === undefined ? {} : { timezone }),
  ...(filters.length > 0 ? { filters: [...filters] } : {}),
  ...(segment === undefined ? {} : { segment }),
  ...(snapshot === undefined ? {} : { snapshot }),
});

/** For parameters that are compared. */
export const comparisonOf = ({ compare = 'previous_period' }: ViewSearch) => (compare === 'none' ? {} : { compare });

/** Hours for one or two days, unless the address says otherwise. */
export const granularityOf = ({ granularity, ...view }: ViewSearch): NonNullable<ViewSearch['granularity']> =>
  granularity ?? (daysOf(view) <= 2 ? 'hourly' : 'daily');

/** The most days of an hourly series. */
export const MAX_HOURLY_DAYS = 30;

const DAY_MS = 86_400_000;
const DAYS = { today: 1, yesterday: 1, last_24h: 2, last_7d: 7, last_14d: 14, last_30d: 30, last_90d: 90 } as const;
const CALENDAR_DAYS = { this_week: 7, last_week: 7, this_month: 31, last_month: 31, this_year: 366 } as const;

/** Returns the number of days a view has at most. */
export function daysOf({ from, to, preset = DEFAULT_PRESET }: ViewSearch): number {
  if (from !== undefined && to !== undefined) return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return { ...DAYS, ...CALENDAR_DAYS }[preset];
}

/** The parts of a view that a person chose last, and looks at other websites and links with. */
const PARTS = ['preset', 'compare', 'timezone'] as const;

const VIEW = 'view';

/** Keeps what is chosen anew: undefined forgets a part, others stay. */
export function rememberView(chosen: Readonly<Record<string, unknown>>): void {
  const parts = PARTS.filter((part) => part in chosen).map((part) => [part, chosen[part]] as const);
  if (parts.length > 0) rememberOfPerson(VIEW, JSON.stringify({ ...rememberedView(), ...Object.fromEntries(parts) }));
}

/** Returns what an address says; without a range it is the one that was chosen last, and so are other parts. */
export function readView(search: Record<string, unknown>): ViewSearch {
  const given = readAddress(search);
  const { preset, ...others } = readAddress(rememberedView());
  const isRange = given.preset !== undefined || given.from !== undefined;
  return { ...others, ...(isRange || preset === undefined ? {} : { preset }), ...given };
}

/** Reads the view of a website, which may have segments and goals. */
export const readWebsiteView = (search: Record<string, unknown>): ViewSearch => ({
  ...readView(search),
  ...optionalText(search, 'segment'),
  ...optionalText(search, 'goal'),
  ...optionalText(search, 'snapshot'),
});

/** Without filters, where several websites or links are looked at. */
export function readRangeSearch(search: Record<string, unknown>): RangeSearch {
  const { filters: _, granularity: __, ...range } = readView(search);
  return range;
}

/** As it was written, perhaps by another version. */
function rememberedView(): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(rememberedOfPerson(VIEW) ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // other code wrote it
  }
}
