import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { messageOf } from '../../../api/failure';
import { websiteQuery } from '../../../api/website-query';
import { notify } from '../../../components/toasts';
import type { Selection, Target } from './use-view';

/** The most days that a query takes. */
const MAX_DAYS = 3_660;

interface LongRangesProps {
  readonly view: Selection;
  /** With the days of the calendar that they are now. */
  readonly onChoose: (from: string, to: string) => void;
}

/** Ranges that the api has no name for; the address has their days. */
export function LongRanges({ view, onChoose }: LongRangesProps) {
  const queryClient = useQueryClient();
  const today = new Date().toLocaleDateString('sv-SE', { timeZone: view.search.timezone ?? view.zone });
  const isOfOne = view.target.website !== undefined || view.target.link !== undefined;
  const year = Number(today.slice(0, 4)) - 1;
  const chooseAll = () =>
    firstDay(queryClient, view.target, today).then(
      (first = today) => onChoose(first, today),
      (error: unknown) => notify(messageOf(error as Error)), // the client throws nothing else
    );
  return (
    <>
      <Range text="Last year" onChoose={() => onChoose(`${year}-01-01`, `${year}-12-31`)} />
      <Range text="Last 12 months" onChoose={() => onChoose(daysBefore(today, 364), today)} />
      {isOfOne && <Range text="All time" onChoose={() => void chooseAll()} />}
    </>
  );
}

/** The day of the first page view or click; undefined without one. */
async function firstDay(queryClient: QueryClient, target: Target, today: string): Promise<string | undefined> {
  const ever = { startDate: daysBefore(today, MAX_DAYS - 1), endDate: today };
  if (target.link !== undefined) {
    const clicks = websiteQuery({ ...ever, link: target.link }, { name: 'link_clicks_by_day' });
    return (await queryClient.query(clicks)).rows.find((row) => row.clicks > 0)?.date;
  }
  const views = websiteQuery({ ...ever, website: target.website ?? '' }, { name: 'events_by_date' });
  return (await queryClient.query(views)).rows.find(({ pageviews }) => pageviews > 0)?.date;
}

const Range = ({ text, onChoose }: { readonly text: string; readonly onChoose: () => void }) => (
  <li>
    <button type="button" onClick={onChoose}>
      {text}
    </button>
  </li>
);

function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - days);
  return date.toISOString().slice(0, 10);
}
