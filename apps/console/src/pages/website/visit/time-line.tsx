import { isObject } from '@ledgerline/contracts/json';
import { readablePath } from '../../../addresses/readable-address';
import { formatClock, formatFigure } from '../format';
import { Properties } from '../lists/cell';
import { formatVital, RATINGS, ratingOf } from '../report/vital-metrics';

/** An event of a session, as the api shows it. */
interface SessionEvent {
  readonly event_name: string;
  readonly time: string;
  readonly path: string | null;
  readonly properties: unknown;
}

interface TimeLineProps {
  readonly events: readonly SessionEvent[];
  readonly timeZone: string;
}

/** Events in their order, each with the time since the one before; what scripts measure by themselves is folded. */
export const TimeLine = ({ events, timeZone }: TimeLineProps) => (
  <ol className="time-line">
    {runsOf(events).map(({ from, to, isMeasured }) =>
      isMeasured && to - from > 1 ? (
        <li key={from} className="measure">
          <details>
            <summary>{to - from} measurements of the script</summary>
            <ol>
              <Rows events={events} timeZone={timeZone} from={from} to={to} />
            </ol>
          </details>
        </li>
      ) : (
        <Rows key={from} events={events} timeZone={timeZone} from={from} to={to} />
      ),
    )}
  </ol>
);

interface Run {
  /** Places of events, the end excluded. */
  readonly from: number;
  readonly to: number;
  readonly isMeasured: boolean;
}

/** Neighbours that are all measured, or all not. */
function runsOf(events: readonly SessionEvent[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [at, event] of events.entries()) {
    const isMeasured = classOf(event.event_name) === 'measure';
    const last = runs.at(-1);
    if (last?.isMeasured === isMeasured) runs[runs.length - 1] = { ...last, to: at + 1 };
    else runs.push({ from: at, to: at + 1, isMeasured });
  }
  return runs;
}

const Rows = ({ events, timeZone, from, to }: TimeLineProps & Pick<Run, 'from' | 'to'>) =>
  events.slice(from, to).map((event, index) => (
    <li key={`${event.time} ${index}`} className={classOf(event.event_name)}>
      <time dateTime={event.time}>{formatClock(event.time, timeZone)}</time>
      <span className="since soft">{sinceBefore(events, from + index)}</span>
      <span className="what">
        <strong>{NAMED_EVENTS[event.event_name] ?? event.event_name}</strong>
        {event.path !== null && <Path raw={event.path} />}
        <Said event={event} />
      </span>
    </li>
  ));

/** A path, which may be clipped: the tooltip has all of it. */
export function Path({ raw }: { readonly raw: string }) {
  const shown = readablePath(raw);
  return <code title={shown}>{shown}</code>;
}

/**
 * Shows what it says beside its page: the value of a vital with its unit and how good it is, of others their
 * properties.
 */
function Said({ event: { event_name: name, properties } }: { readonly event: SessionEvent }) {
  if (!isObject(properties) || Object.keys(properties).length === 0) return null;
  const { metric, value } = properties;
  if (name !== 'web_vital' || typeof metric !== 'string' || typeof value !== 'number')
    return <Properties properties={properties} />;
  const rating = ratingOf(metric, value);
  return (
    <span>
      {metric}{' '}
      {rating ? (
        <span className={`rated ${rating}`}>{`${formatVital(metric, value)}, ${RATINGS[rating]}`}</span>
      ) : (
        formatVital(metric, value)
      )}
    </span>
  );
}

/** The names of events that have none of their own; all others are named by the website. */
export const NAMED_EVENTS: Readonly<Record<string, string>> = {
  screen_view: 'Page view',
  page_exit: 'Leave',
  outgoing_link: 'Outgoing link',
  error: 'Error',
  web_vital: 'Web vital',
  engagement: 'Engagement',
};

const classOf = (name: string): string =>
  name === 'screen_view'
    ? 'view'
    : name === 'error'
      ? 'error'
      : name in NAMED_EVENTS && name !== 'outgoing_link'
        ? 'measure'
        : 'custom';

function sinceBefore(events: readonly SessionEvent[], at: number): string {
  const before = events[at - 1];
  const event = events[at];
  if (!before || !event) return '';
  return `+${formatFigure('seconds', (Date.parse(event.time) - Date.parse(before.time)) / 1_000)}`;
}
