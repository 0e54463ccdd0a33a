import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Filter } from 'lucide';
import type { FunnelDto } from '@ledgerline/client';
import { messageOf } from '../../../api/failure';
import { figuresQuery } from '../../../api/figures';
import { recordsQuery } from '../../../api/records';
import { EmptyState } from '../../../components/states';
import { Table, type TableColumn } from '../../../components/table';
import { formatFigure } from '../format';
import { Answered } from '../lists/answer';
import { Pager } from '../lists/full-list';
import { FigureChange } from '../lists/list-table';
import { sharedSearch, useView } from '../view/use-view';
import { comparisonOf } from '../view/view-scope';
import { WebsitePage } from '../website-page';

type View = ReturnType<typeof useView>;

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/funnels');

/** Each is counted by itself. */
const ROWS = 20;

/** The funnels of a website, with how many came to their ends in the range. */
export function FunnelsPage() {
  const view = useView();
  const { page = 1 } = route.useSearch();
  const funnels = useQuery(recordsQuery('/v1/funnels', view));
  return (
    <WebsitePage
      title="Funnels"
      lead="Where visitors leave on their way."
      actions={<NewFunnel view={view} />}
      view={view}
    >
      <Answered query={funnels} label="the funnels" lines={6}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState title="No funnels yet" icon={Filter}>
              <p>
                A funnel has steps, such as a page, another page and an event, and says how many visitors reach each of
                them. It has no start date: what visitors did before counts, too.
              </p>
            </EmptyState>
          ) : (
            <section className="query-panel full" aria-label="Funnels">
              <Table
                caption="Funnels, as a table"
                columns={columnsOf(view)}
                rows={known.slice((page - 1) * ROWS, page * ROWS)}
                keyOf={({ id }) => id}
              />
              {known.length > ROWS && (
                <footer className="query-panel-foot">
                  <Pager page={page} rows={ROWS} total={known.length} view={view} />
                </footer>
              )}
            </section>
          )
        }
      </Answered>
    </WebsitePage>
  );
}

const columnsOf = (view: View): readonly TableColumn<FunnelDto>[] => [
  { header: 'Funnel', cell: (funnel) => <FunnelLink view={view} funnel={funnel} /> },
  { header: 'Steps', isNumber: true, cell: ({ steps }) => formatFigure('count', steps.length) },
  { header: 'Started', isNumber: true, cell: (funnel) => <Figure view={view} funnel={funnel} at={0} /> },
  { header: 'Completed', isNumber: true, cell: (funnel) => <Figure view={view} funnel={funnel} at={-1} /> },
  { header: 'Conversion', isNumber: true, cell: (funnel) => <Figure view={view} funnel={funnel} at={-1} isRate /> },
];

interface FigureProps {
  readonly view: View;
  readonly funnel: FunnelDto;
  /** The place of the first step, or of the last one. */
  readonly at: 0 | -1;
  readonly isRate?: boolean;
}

/** One figure of a step; all that are shown are asked for in one request. */
function Figure({ view, funnel, at, isRate = false }: FigureProps) {
  const parameter = { name: 'funnel', funnel: funnel.id, ...comparisonOf(view.search) } as const;
  const { data, error } = useQuery(figuresQuery(view.scope, parameter));
  const row = data?.rows.at(at);
  if (error && !row)
    return (
      <span className="soft" title={messageOf(error)}>
        Not counted
      </span>
    );
  if (!row) return <span className="soft">…</span>;
  const field = isRate ? 'percentage' : 'reached';
  return (
    <span className="compared">
      {formatFigure(isRate ? 'percent' : 'count', row[field])}
      <FigureChange row={{ ...row }} field={field} />
    </span>
  );
}

const FunnelLink = ({ view, funnel }: { readonly view: View; readonly funnel: FunnelDto }) => (
  <Link
    className="clip"
    to="/organizations/$organizationId/websites/$websiteId/funnels/$funnelId"
    params={{ ...paramsOf(view), funnelId: funnel.id }}
    search={sharedSearch(view.search)}
    title={funnel.name}
  >
    {funnel.name}
  </Link>
);

const NewFunnel = ({ view }: { readonly view: View }) => (
  <Link
    className="button primary"
    to="/organizations/$organizationId/websites/$websiteId/funnels/$funnelId"
    params={{ ...paramsOf(view), funnelId: 'new' }}
    search={sharedSearch(view.search)}
  >
    New funnel
  </Link>
);

const paramsOf = ({ organizationId, websiteId }: View) => ({ organizationId, websiteId });
