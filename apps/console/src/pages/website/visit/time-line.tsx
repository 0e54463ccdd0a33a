import { Properties } from '../lists/cell';
import { formatClock, formatFigure } from '../format';
import { readablePath } from '../../../addresses/readable-path';

/** An event of a session, as the api shows it. */
export interface SessionEvent {
  readonly event_name: string;
  readonly time: string;
  readonly path: string | null;
  readonly properties: unknown;
}

interface TimeLineProps {
  readonly events: readonly SessionEvent[];
  readonly timeZone: string;
}

/** Events in their order, each with the time since the one before. */
export const TimeLine = ({ events, timeZone }: TimeLineProps) => (
  <ol className="time-line">
    {events.map((event, at) => (
      <li key={`${event.time} ${at}`} className={classOf(event.event_name)}>
        <time dateTime={event.time}>{formatClock(event.time, timeZone)}</time>
        <span className="since soft">{sinceBefore(events, at)}</span>
        <span className="what">
          <strong>{KINDS[event.event_name] ?? event.event_name}</strong>
          {event.path !== null && <code title={event.path}>{readablePath(event.path)}</code>}
          {hasProperties(event.properties) && <Properties properties={event.properties} />}
        </span>
      </li>
    ))}
  </ol>
);

/** What has no name of its own; all others are named by the website. */
const KINDS: Readonly<Record<string, string>> = {
  screen_view: 'Page view',
  page_exit: 'Leave',
  outgoing_link: 'Outgoing link',
  error: 'Error',
  web_vital: 'Web vital',
  engagement: 'Engagement',
};

const classOf = (name: string): string =>
  name === 'screen_view' ? 'view' : name === 'error' ? 'error' : name in KINDS ? 'measure' : 'custom';

function sinceBefore(events: readonly SessionEvent[], at: number): string {
  const [before, event] = [events[at - 1], events[at]];
  if (!before || !event) return '';
  return `+${formatFigure('seconds', (Date.parse(event.time) - Date.parse(before.time)) / 1_000)}`;
}

const hasProperties = (properties: unknown): boolean =>
  typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0;
