const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /** Without the time of the day, where there is little room. */
  readonly isDay?: boolean;
}

/** A moment in the time zone of the browser; pointing at it shows it in UTC. */
export const Time = ({ at, isDay = false }: TimeProps) => (
  <time dateTime={at} title={at}>
    {(isDay ? DAY : MOMENT).format(new Date(at))}
  </time>
);
