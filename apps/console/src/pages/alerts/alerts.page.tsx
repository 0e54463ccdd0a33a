import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Bell } from 'lucide';
import type { AlertDto } from '@ledgerline/client';
import { alertsQuery } from '../../api/alerts';
import { linkQuery } from '../../api/links';
import { websitesQuery } from '../../api/websites';
import { PageHeader } from '../../components/page';
import { Badge, Time } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { type TableColumn, Table } from '../../components/table';
import { ALERT_STATES, OUTCOMES } from './alert-words';

const route = getRouteApi('/signed-in/organizations/$organizationId/alerts');

/** Who is told when figures change, and what was told last. */
export function AlertsPage() {
  const { organizationId } = route.useParams();
  const { data: alerts } = useSuspenseQuery(alertsQuery(organizationId));
  const create = (
    <Link
      className="button primary"
      to="/organizations/$organizationId/alerts/$alertId"
      params={{ organizationId, alertId: 'new' }}
    >
      New alert
    </Link>
  );
  return (
    <div className="page">
      <PageHeader
        title="Alerts"
        description="Get notified when the figures of a website or link are other than they should be"
        actions={alerts.length > 0 ? create : undefined}
      />
      {alerts.length > 0 ? (
        <Table caption="Alerts" columns={COLUMNS} rows={alerts} keyOf={({ id }) => id} />
      ) : (
        <EmptyState title="No alerts yet" icon={Bell} action={create}>
          <p>
            Press the bell beside a figure. Before a rule is saved, it says when it would have told you in the last 90
            days.
          </p>
        </EmptyState>
      )}
    </div>
  );
}

/** Shows how an alert is now. */
export function AlertBadge({ state }: Pick<AlertDto, 'state'>) {
  const [tone, text] = ALERT_STATES[state];
  return <Badge tone={tone}>{text}</Badge>;
}

type Subject = Pick<AlertDto, 'organizationId' | 'websiteId' | 'linkId'>;

/** The website or link that an alert is about. */
export const AlertSubject = ({ organizationId, websiteId, linkId }: Subject) =>
  linkId === null ? (
    <WebsiteName organizationId={organizationId} websiteId={websiteId ?? ''} />
  ) : (
    <LinkName organizationId={organizationId} linkId={linkId} />
  );

function WebsiteName({ organizationId, websiteId }: { readonly organizationId: string; readonly websiteId: string }) {
  const { data: websites = [] } = useQuery(websitesQuery(organizationId));
  return (
    <Link to="/organizations/$organizationId/websites/$websiteId" params={{ organizationId, websiteId }}>
      {websites.find(({ id }) => id === websiteId)?.name}
    </Link>
  );
}

function LinkName({ organizationId, linkId }: { readonly organizationId: string; readonly linkId: string }) {
  const { data: link } = useQuery(linkQuery(linkId));
  return (
    <Link to="/organizations/$organizationId/links/$linkId" params={{ organizationId, linkId }}>
      {link?.name ?? 'Link'}
    </Link>
  );
}

const AlertLink = ({ id, name, organizationId }: AlertDto) => (
  <Link className="wrap" to="/organizations/$organizationId/alerts/$alertId" params={{ organizationId, alertId: id }}>
    {name}
  </Link>
);

const COLUMNS: readonly TableColumn<AlertDto>[] = [
  {
    header: 'Name',
    cell: (alert) =>
      alert.sentence === alert.name ? (
        <AlertLink {...alert} />
      ) : (
        <span className="two-lines">
          <AlertLink {...alert} />
          <span className="wrap">{alert.sentence}</span>
        </span>
      ),
  },
  { header: 'Now', cell: AlertBadge },
  { header: 'About', cell: AlertSubject },
  {
    header: 'Last change',
    cell: ({ lastDecision }) => {
      if (!lastDecision) return '–';
      const [, word] = OUTCOMES[lastDecision.outcome];
      return (
        <>
          {word} <Time at={lastDecision.to} />
        </>
      );
    },
  },
  {
    header: 'Notifies',
    cell: ({ destinationIds }) =>
      destinationIds.length === 1 ? '1 destination' : `${destinationIds.length} destinations`,
  },
];
