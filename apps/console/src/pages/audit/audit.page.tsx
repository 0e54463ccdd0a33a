import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { auditLogQuery, type AuditFilter } from '../../api/audit-log';
import { CursorPages } from '../../components/cursor-pages';
import { EmptyState } from '../../components/empty-state';
import { ErrorState } from '../../components/error-state';
import { PageHeader } from '../../components/page-header';
import { Skeleton } from '../../components/skeleton';
import { AuditEntry } from './audit-entry';
import { AuditFilters } from './audit-filters';
import { ExportButtons } from './export-buttons';
import { Verification } from './verification';
import type { AuditSearch } from './audit-search';

const route = getRouteApi('/signed-in/organizations/$organizationId/audit');

/** Who changed what in an organization, and whether the record of it is intact. */
export function AuditPage() {
  const { organizationId } = route.useParams();
  const search = route.useSearch();
  const filter = filterOf(search);
  const { data, error, refetch } = useQuery({
    ...auditLogQuery(organizationId, filter, search.cursor),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="page">
      <PageHeader
        title="Audit log"
        description="Every change by people and API keys, from events that are never altered"
      />
      <Verification key={organizationId} organizationId={organizationId} />
      <section className="stack" aria-label="Changes">
        <div className="section-head">
          <h2>Changes</h2>
          <ExportButtons organizationId={organizationId} filter={filter} />
        </div>
        <AuditFilters search={search} />
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={8} label="the audit log" />}
        {data && !error && data.data.length === 0 && <Nothing hasMore={data.hasMore} />}
        {data && !error && data.data.length > 0 && (
          <ol className="trail">
            {data.data.map((entry) => (
              <AuditEntry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
        {data && !error && <CursorPages cursor={search.cursor} nextCursor={data.nextCursor} />}
      </section>
    </div>
  );
}

const Nothing = ({ hasMore }: { readonly hasMore: boolean }) => (
  <EmptyState title={hasMore ? 'Nothing among the last 10,000 events' : 'Nothing matches'}>
    <p>{hasMore ? 'Older events were not looked at yet: go on with “Next”.' : 'No change fits all of the filters.'}</p>
  </EmptyState>
);

/** Days begin and end in the time zone of the browser. */
function filterOf({ action, actorId, targetType, targetId, firstDay, lastDay }: AuditSearch): AuditFilter {
  return {
    ...(action && { action }),
    ...(actorId && { actorId }),
    ...(targetType && { targetType }),
    ...(targetId && { targetId }),
    ...(firstDay && { from: startOf(firstDay, 0) }),
    ...(lastDay && { to: startOf(lastDay, 1) }),
  };
}

function startOf(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
}
