import type { QueryAnswer } from '@ledgerline/client';
import { formatDays, formatFigure, formatTime } from '../format';

const IDENTITIES: Readonly<Record<string, string>> = {
  daily: 'A visitor who returns on another day is counted again: ids last for a day.',
  monthly: 'A visitor who returns in another month is counted again: ids last for a month.',
  stable: 'A visitor who returns is the same one: ids last.',
};

/** The range of an answer, how exact it is, and what the api adds to it. */
export const AnswerFacts = ({ meta }: { readonly meta: QueryAnswer['meta'] }) => (
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
      <dt>Updated</dt>
      <dd>{formatTime(meta.asOf, meta.timezone)}</dd>
      {meta.newestEventAt !== undefined && (
        <>
          <dt>Newest event</dt>
          <dd>{meta.newestEventAt === null ? 'None' : formatTime(meta.newestEventAt, meta.timezone)}</dd>
        </>
      )}
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
);
