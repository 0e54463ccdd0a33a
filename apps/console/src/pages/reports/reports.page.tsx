import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Mail } from 'lucide';
import type { ReportDto } from '@ledgerline/client';
import { recordsQuery } from '../../api/records';
import { PageHeader } from '../../components/page';
import { Badge } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { type TableColumn, Table } from '../../components/table';
import { NewReport } from './report-form';
import { PERIODS, websitesText } from './report-words';
import { ReportPage } from './report.page';

const route = getRouteApi('/signed-in/organizations/$organizationId/reports');

/** The reports that an organization sends, or one of them; for owners and admins. */
export function ReportsPage() {
  const { organizationId } = route.useParams();
  const { report: shown } = route.useSearch();
  const { data: reports } = useSuspenseQuery(recordsQuery('/v1/reports', { organizationId }));
  const report = reports.find(({ id }) => id === shown);
  if (report) return <ReportPage key={report.id} report={report} />;
  if (shown === 'new') return <NewReport organizationId={organizationId} names={reports.map(({ name }) => name)} />;
  const create = (
    <Link className="button primary" to="." search={{ report: 'new' }}>
      New report
    </Link>
  );
  return (
    <div className="page">
      <PageHeader
        title="Reports"
        description="The figures of a week or month, sent on Monday or the first"
        actions={reports.length > 0 ? create : undefined}
      />
      {reports.length > 0 ? (
        <Table caption="Reports" columns={COLUMNS} rows={reports} keyOf={({ id }) => id} />
      ) : (
        <EmptyState title="No reports yet" icon={Mail} action={create}>
          <p>Visitors, pages, sources and goals with what changed, for people who do not look at dashboards.</p>
        </EmptyState>
      )}
    </div>
  );
}

const COLUMNS: readonly TableColumn<ReportDto>[] = [
  {
    header: 'Name',
    cell: ({ id, name }) => (
      <Link className="clip" title={name} to="." search={{ report: id }}>
        {name}
      </Link>
    ),
  },
  { header: 'Sent', cell: ({ period, timezone }) => `${PERIODS[period]}, 08:00 ${timezone}` },
  { header: 'About', cell: websitesText },
  {
    header: 'To',
    cell: ({ destinationIds: { length } }) => (length === 1 ? '1 destination' : `${length} destinations`),
  },
  {
    header: 'Now',
    cell: ({ enabled }) => <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? 'Sent' : 'Paused'}</Badge>,
  },
];
