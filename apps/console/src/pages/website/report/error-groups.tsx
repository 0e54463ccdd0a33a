import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { RowOf } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { DescriptionList } from '../../../components/page-parts';
import { formatFigure, formatTime } from '../format';
import { Answered, AnswerMenu } from '../lists/answer';
import { ListCell } from '../lists/cell';
import { NoRows } from '../lists/list-table';
import { listNamed } from '../lists/lists';
import type { useView } from '../view/use-view';

type View = ReturnType<typeof useView>;
type ErrorRow = RowOf<'recent_errors'>;

/** The number of the newest errors that are grouped. */
const ERRORS = 1_000;
/** The number of different values of a group that are shown. */
const VALUES = 8;

interface ErrorGroup {
  readonly message: string;
  /** The newest first. */
  readonly errors: readonly [ErrorRow, ...ErrorRow[]];
}

/** Errors by their message: how often and for how many visitors, when, and with which browsers, pages and stack. */
export function ErrorGroups({ view }: { readonly view: View }) {
  const scope = { ...view.scope, sortBy: 'timestamp', sortOrder: 'desc' } as const;
  const query = useQuery(figuresQuery(scope, { name: 'recent_errors', limit: ERRORS }));
  const isCut = (query.data?.total ?? 0) > ERRORS;
  return (
    <section className="query-panel" aria-label="By message">
      <header className="query-panel-head">
        <h2>By message</h2>
      </header>
      <Answered query={query} label="the errors" lines={6}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <ul className="error-groups">
              {byMessage(rows).map((group) => (
                <li key={group.message}>
                  <Group group={group} view={view} timeZone={meta.timezone} />
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <footer className="query-panel-foot">
        <span className="soft">
          {isCut ? `Of the newest ${formatFigure('count', ERRORS)} errors of the range` : 'All errors of the range'}
        </span>
        <AnswerMenu title="the errors" scope={scope} parameter={{ name: 'recent_errors' }} />
      </footer>
    </section>
  );
}

/** Groups errors by message, those with the most errors first. */
const byMessage = (rows: readonly ErrorRow[]): readonly ErrorGroup[] =>
  [...Map.groupBy(rows, ({ message }) => message)]
    .flatMap(([message, [newest, ...others]]) => (newest ? [{ message, errors: [newest, ...others] as const }] : []))
    .toSorted((one, other) => other.errors.length - one.errors.length);

interface GroupProps {
  readonly group: ErrorGroup;
  readonly view: View;
  readonly timeZone: string;
}

function Group({ group: { message, errors }, view, timeZone }: GroupProps) {
  const [newest] = errors;
  const visitors = new Set(errors.map(({ visitor_id: id }) => id)).size;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['First seen', formatTime(errors.at(-1)?.timestamp, timeZone)],
    ['Last seen', formatTime(newest.timestamp, timeZone)],
    ['Pages', <Values key="path" field="path" errors={errors} view={view} timeZone={timeZone} />],
    ['Browsers', <Values key="browser" field="browser_name" errors={errors} view={view} timeZone={timeZone} />],
    ['Newest session', <Values key="session" field="session_id" errors={[newest]} view={view} timeZone={timeZone} />],
    ['Script', newest.filename && `${newest.filename}:${newest.lineno ?? '?'}:${newest.colno ?? '?'}`],
  ];
  return (
    <details>
      <summary>
        <span>
          <strong>{message}</strong> <span className="soft">{newest.error_type}</span>
        </span>
        <span>
          {counted(errors.length, 'error')}{' '}
          <span className="soft">
            · {counted(visitors, 'visitor')} · last {formatTime(newest.timestamp, timeZone)}
          </span>
        </span>
      </summary>
      <div className="error-group">
        <DescriptionList facts={facts} />
        {newest.stack && (
          <pre className="snippet" tabIndex={0} aria-label={`Stack of ${message}`}>
            <code>{newest.stack}</code>
          </pre>
        )}
      </div>
    </details>
  );
}

const counted = (count: number, of: string): string => `${formatFigure('count', count)} ${of}${count === 1 ? '' : 's'}`;

interface ValuesProps {
  readonly field: 'path' | 'browser_name' | 'session_id';
  readonly errors: readonly ErrorRow[];
  readonly view: View;
  readonly timeZone: string;
}

/** The different values of a field, as the list of errors shows them. */
function Values({ field, errors, view, timeZone }: ValuesProps) {
  const column = listNamed('recent_errors').columns.find((each) => each.field === field);
  const values = [...new Set(errors.map((error) => error[field]))];
  return (
    <span className="values">
      {column &&
        values
          .slice(0, VALUES)
          .map((value) => (
            <ListCell key={value} column={column} row={{ [field]: value }} view={view} timeZone={timeZone} />
          ))}
      {values.length > VALUES && <span className="soft">and {formatFigure('count', values.length - VALUES)} more</span>}
    </span>
  );
}
