import { Popover } from '../../../components/popover';
import { Select } from '../../../components/select';
import { daysOf, granularityOf, MAX_HOURLY_DAYS } from './view-scope';
import type { useView } from './use-view';
import { COMPARISONS, GRANULARITIES } from './view-search';

/** What the figures are compared with, how fine their course is, and whose days they are of. */
export function ViewOptions({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { search, select } = view;
  const isLong = daysOf(search) > MAX_HOURLY_DAYS;
  return (
    <Popover shown={<>Options ▾</>} label="Options">
      {() => (
        <div className="form">
          <Select
            label="Compare with"
            value={search.compare ?? 'previous_period'}
            options={COMPARISONS}
            onChange={({ target }) => {
              const chosen = COMPARISONS.find(([each]) => each === target.value)?.[0];
              select({ compare: chosen === 'previous_period' ? undefined : chosen });
            }}
          />
          <Select
            label="Draw"
            value={granularityOf(search)}
            options={isLong ? GRANULARITIES.slice(0, 1) : GRANULARITIES}
            hint={isLong ? `Hours for at most ${MAX_HOURLY_DAYS} days` : undefined}
            onChange={({ target }) =>
              select({ granularity: GRANULARITIES.find(([each]) => each === target.value)?.[0] })
            }
          />
          <TimeZone view={view} />
        </div>
      )}
    </Popover>
  );
}

/** Apart, as hundreds of names are listed once it is shown. */
const TimeZone = ({ view: { website, search, select } }: { readonly view: ReturnType<typeof useView> }) => (
  <Select
    label="Days of the time zone"
    value={search.timezone ?? ''}
    options={timeZones(website.timezone, search.timezone)}
    onChange={({ target }) => select({ timezone: target.value || undefined })}
  />
);

/** The website's own first, then those that are likely, then all. */
function timeZones(ofWebsite: string, chosen: string | undefined): readonly (readonly [string, string])[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const named = [...new Set([...(chosen ? [chosen] : []), own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return [['', `${ofWebsite} (of the website)`], ...named.map((zone) => [zone, zone] as const)];
}
