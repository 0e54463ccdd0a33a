import type { QueryAnswer } from '@ledgerline/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { linkClicksQuery, type CLICK_PARAMETERS } from '../../api/link-clicks';
import { ErrorState } from '../../components/error-state';
import { Skeleton } from '../../components/skeleton';
import { Time } from '../../components/time';
import { Tooltip } from '../../components/tooltip';
import { clickRange } from './click-range';
import { ClickChart } from './click-chart';
import { RangeSelect } from './range-select';
import { TopList } from './top-list';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/$linkId');

/** Totals, the series and the lists of one range. */
export function LinkClicks({ linkId }: { readonly linkId: string }) {
  const range = clickRange(route.useSearch());
  const { data, error, refetch } = useQuery({
    ...linkClicksQuery(linkId, range),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="stack" aria-label="Clicks">
      <RangeSelect range={range} />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} label="clicks" />}
      {data && <Answer answer={data} />}
    </section>
  );
}

interface AnswerProps {
  readonly answer: QueryAnswer<typeof CLICK_PARAMETERS>;
}

function Answer({ answer: { data, meta } }: AnswerProps) {
  const navigate = route.useNavigate();
  const [totals, series, referrers, countries, regions, cities, devices, browsers] = data;
  const { total = 0, unique = 0 } = totals.data[0] ?? {};
  return (
    <>
      <dl className="totals">
        <Total
          name="Clicks"
          value={total}
          explanation="Every redirect of a person; bots and previews are not counted."
        />
        <Total
          name="Visitors by day"
          value={unique}
          explanation="A visitor is counted once a day: the same person on two days counts twice."
        />
      </dl>
      <ClickChart
        rows={series.data}
        onSelect={(startDate, endDate) => void navigate({ search: { startDate, endDate } })}
      />
      <div className="tiles">
        <TopList title="Referrers" entry={referrers} />
        <TopList title="Countries" entry={countries} />
        <TopList title="Regions" entry={regions} />
        <TopList title="Cities" entry={cities} />
        <TopList title="Devices" entry={devices} />
        <TopList title="Browsers" entry={browsers} />
      </div>
      <p className="soft small">
        Days are those of {meta.timezone}.{' '}
        {meta.asOf && (
          <>
            The newest event that is included is of <Time at={meta.asOf} />.
          </>
        )}
        {meta.notes.map((note) => ` ${note}`)}
      </p>
    </>
  );
}

interface TotalProps {
  readonly name: string;
  readonly value: number;
  readonly explanation: string;
}

const Total = ({ name, value, explanation }: TotalProps) => (
  <div>
    <dt>
      <Tooltip text={explanation}>{name}</Tooltip>
    </dt>
    <dd>{value.toLocaleString('en')}</dd>
  </div>
);
