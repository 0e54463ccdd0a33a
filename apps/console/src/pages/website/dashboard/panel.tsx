import type { QueryTypeName } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { websiteQuery } from '../../../api/website-query';
import { Select } from '../../../components/select';
import { AnswerMenu } from '../lists/answer-menu';
import { Answered } from '../lists/answered';
import { formatFigure } from '../format';
import { NoRows } from '../lists/full-list';
import { ListTable } from '../lists/list-table';
import { listNamed } from '../lists/lists';
import { PANEL_ROWS, type PANELS } from '../report/reports';
import { sharedSearch, type useView } from '../view/use-view';
import { listsOf, panelParameter } from './dashboard-search';

interface PanelProps {
  readonly name: (typeof PANELS)[number];
  readonly chosen: string | undefined;
  readonly view: ReturnType<typeof useView>;
}

/** How many columns there is room for, besides the names. */
const FIGURES = ['visitors', 'pageviews', 'total_events', 'unique_users', 'total_clicks', 'percentage'];

/** The first rows of one of the lists of a report. */
export function Panel({ name, chosen, view }: PanelProps) {
  const types = listsOf(name);
  const type = types.find((each) => each === chosen) ?? types[0] ?? 'top_pages';
  const list = listNamed(type);
  const query = useQuery(websiteQuery(view.scope, panelParameter(type)));
  const columns = list.columns.filter(
    ({ field, kind }, at) => at === 0 || (kind !== 'text' && FIGURES.includes(field)),
  );
  return (
    <section className="query-panel" aria-label={list.title} tabIndex={-1}>
      <PanelHead list={list.title} types={types} type={type} onChoose={(next) => view.change({ [name]: next })} />
      <div className="query-panel-body">
        <Answered query={query} label={list.title} lines={PANEL_ROWS}>
          {({ rows, meta }) =>
            rows.length === 0 ? (
              <NoRows notes={meta.notes} />
            ) : (
              <ListTable list={list} columns={columns} rows={rows} view={view} timeZone={meta.timezone} />
            )
          }
        </Answered>
      </div>
      <footer className="query-panel-foot">
        <ShowAll report={name} type={type} total={query.data?.total ?? 0} view={view} />
        <AnswerMenu title={list.title} scope={view.scope} parameter={{ name: type }} />
      </footer>
    </section>
  );
}

interface PanelHeadProps {
  readonly list: string;
  readonly types: readonly QueryTypeName[];
  readonly type: QueryTypeName;
  readonly onChoose: (type: string) => void;
}

const PanelHead = ({ list, types, type, onChoose }: PanelHeadProps) => (
  <header className="query-panel-head">
    <h2 className={types.length > 1 ? 'visually-hidden' : undefined}>{list}</h2>
    {types.length > 1 && (
      <Select
        label={`Shown instead of ${list}`}
        value={type}
        options={types.map((each) => [each, listNamed(each).title])}
        onChange={({ target }) => onChoose(target.value)}
      />
    )}
  </header>
);

interface ShowAllProps {
  readonly report: string;
  readonly type: QueryTypeName;
  readonly total: number;
  readonly view: ReturnType<typeof useView>;
}

const ShowAll = ({ report, type, total, view: { organizationId, websiteId, search } }: ShowAllProps) => (
  <Link
    className="button quiet"
    to="/organizations/$organizationId/websites/$websiteId/$report"
    params={{ organizationId, websiteId, report }}
    search={{ ...sharedSearch(search), list: type }}
  >
    {total > 0 ? `Show all ${formatFigure('count', total)}` : 'Open'}
  </Link>
);
