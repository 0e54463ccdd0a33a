import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { auditLogQuery, exportAddress, type AuditListFilter } from '../../api/audit-log';
import { Button } from '../../components/button';
import { CursorPages } from '../../components/cursor-pages';
import { Input, Select } from '../../components/field';
import { PageHeader } from '../../components/page';
import { EmptyState, ErrorState, Skeleton } from '../../components/states';
import { SearchInput } from '../../components/text-fields';
import { AuditEntry } from './audit-entry';
import type { AuditSearch } from './audit-search';
import { ACTIONS, TARGET_TYPES, withKnownWords } from './audit-words';
import { LatestErasures } from './erasures';
import { Verification } from './verification';

const route = getRouteApi('/signed-in/organizations/$organizationId/audit');

/** Shows who changed what in an organization, and whether the record of it is intact. */
export function AuditPage() {
  const { organizationId } = route.useParams();
  const search = withKnownWords(route.useSearch());
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
      <LatestErasures organizationId={organizationId} />
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
function filterOf({ action, actorId, targetType, targetId, firstDay, lastDay }: AuditSearch): AuditListFilter {
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

/** All conditions hold at once; each is kept in the address. */
function AuditFilters({ search }: { readonly search: AuditSearch }) {
  const navigate = route.useNavigate();
  // what is no word of a filter is left out when the address is read
  const change = (changed: Readonly<Record<string, string>>) =>
    void navigate({ search: (others) => ({ ...others, cursor: undefined, ...changed }), replace: true });
  const text = (name: 'actorId' | 'targetId') => ({
    value: search[name] ?? '',
    onSearch: (typed: string) => change({ [name]: typed }),
  });
  return (
    <div className="filters narrow">
      <Select
        label="Action"
        options={[['', 'Any change'], ...Object.keys(ACTIONS).map((action) => [action, wordsOf(action)] as const)]}
        value={search.action ?? ''}
        onChange={({ target }) => change({ action: target.value })}
      />
      <Select
        label="Resource"
        options={[['', 'Anything'], ...Object.entries(TARGET_TYPES)]}
        value={search.targetType ?? ''}
        onChange={({ target }) => change({ targetType: target.value })}
      />
      <SearchInput label="Actor id" {...text('actorId')} />
      <SearchInput label="Target id" {...text('targetId')} />
      <Input
        label="From"
        type="date"
        value={search.firstDay ?? ''}
        max={search.lastDay}
        onChange={({ target }) => change({ firstDay: target.value })}
      />
      <Input
        label="To"
        type="date"
        value={search.lastDay ?? ''}
        min={search.firstDay}
        onChange={({ target }) => change({ lastDay: target.value })}
      />
      {Object.keys(search).length > 0 && (
        <div className="filters-end">
          <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>
        </div>
      )}
    </div>
  );
}

/** `api_key.rotated` as `api key rotated` */
const wordsOf = (action: string): string => action.replace(/[._]/g, ' ');

interface ExportButtonsProps {
  readonly organizationId: string;
  readonly filter: AuditListFilter;
}

/** Shows what the filters leave, as files. */
const ExportButtons = ({ organizationId, filter }: ExportButtonsProps) => (
  <span className="actions">
    <a className="button" href={exportAddress(organizationId, filter, 'ndjson')} download>
      Export the proof (NDJSON)
    </a>
    <a className="button" href={exportAddress(organizationId, filter, 'csv')} download>
      Export to read (CSV)
    </a>
  </span>
);
