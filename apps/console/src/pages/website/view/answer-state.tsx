import type { QueryAnswer } from '@ledgerline/client';
import { Popover } from '../../../components/popover';
import { formatClock, formatDays, formatFigure, formatTime } from '../format';

type Meta = QueryAnswer['meta'];

/** From here on the figures lack events that people would expect in them. */
const LATE_MS = 10_000;

const IDENTITIES: Readonly<Record<string, string>> = {
  daily: 'A visitor who returns on another day is counted again: ids last for a day.',
  monthly: 'A visitor who returns in another month is counted again: ids last for a month.',
  stable: 'A visitor who returns is the same one: ids last.',
};

/** Until when the figures are, how exact they are, and what the api adds to them. */
export const AnswerState = ({ meta }: { readonly meta: Meta }) => (
  <Popover
    shown={
      <>
        {meta.asOf === null ? 'No events yet' : `As of ${formatClock(meta.asOf, meta.timezone)}`} ·{' '}
        {meta.lagMs < LATE_MS ? 'exact' : `${formatFigure('seconds', meta.lagMs / 1_000)} behind`}
      </>
    }
    label="About these figures"
  >
    {() => (
      <>
        <dl className="view-facts">
          <dt>Range</dt>
          <dd>
            {formatDays(meta.startDate, meta.endDate)}, {meta.timezone}
          </dd>
          {meta.compare && (
            <>
              <dt>Compared with</dt>
              <dd>
                {formatDays(meta.compare.startDate, meta.compare.endDate)}, until{' '}
                {formatTime(meta.compare.until, meta.timezone)}
              </dd>
            </>
          )}
          <dt>Newest event</dt>
          <dd>{meta.asOf === null ? 'None' : formatTime(meta.asOf, meta.timezone)}</dd>
          <dt>Behind the log</dt>
          <dd>{formatFigure('seconds', meta.lagMs / 1_000)}</dd>
          <dt>Exactness</dt>
          <dd>Counts, rates and averages are exact, without sampling. Medians and percentiles (≈) are within 1 %.</dd>
          <dt>Visitors</dt>
          <dd>{IDENTITIES[meta.visitorIdentity]}</dd>
        </dl>
        {meta.notes.length > 0 && (
          <ul className="notes">
            {meta.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
      </>
    )}
  </Popover>
);
