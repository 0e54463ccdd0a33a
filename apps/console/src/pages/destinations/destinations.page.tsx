import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Send } from 'lucide';
import type { DestinationDto } from '@ledgerline/client';
import { destinationsQuery } from '../../api/destinations';
import { PageHeader } from '../../components/page';
import { Badge, Time } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { type TableColumn, Table } from '../../components/table';
import { DESTINATION_FORMAT_LABELS, stateOf, typeText } from './destination-words';

const route = getRouteApi('/signed-in/organizations/$organizationId/destinations');

/** Where an organization sends what happens, and how that goes. */
export function DestinationsPage() {
  const { organizationId } = route.useParams();
  const { data: destinations } = useSuspenseQuery(destinationsQuery(organizationId));
  const create = (
    <Link className="button primary" to="/organizations/$organizationId/destinations/new" params={{ organizationId }}>
      New destination
    </Link>
  );
  return (
    <div className="page">
      <PageHeader
        title="Destinations"
        description="Told of what happens, by a message to their address"
        actions={destinations.length > 0 ? create : undefined}
      />
      {destinations.length > 0 ? (
        <Table caption="Destinations" columns={COLUMNS} rows={destinations} keyOf={({ id }) => id} />
      ) : (
        <EmptyState title="No destinations yet" icon={Send} action={create}>
          <p>
            A channel of Slack or Discord, a mailbox, a program or a SIEM: told when a monitor is down, or who changed
            what.
          </p>
        </EmptyState>
      )}
    </div>
  );
}

export function DestinationBadge(destination: DestinationDto) {
  const { tone, word } = stateOf(destination);
  return <Badge tone={tone}>{word}</Badge>;
}

const COLUMNS: readonly TableColumn<DestinationDto>[] = [
  {
    header: 'Name',
    cell: ({ id, name, url, organizationId }) => (
      <span className="two-lines">
        <Link
          className="clip"
          title={name}
          to="/organizations/$organizationId/destinations/$destinationId"
          params={{ organizationId, destinationId: id }}
        >
          {name}
        </Link>
        <span className="clip">{url}</span>
      </span>
    ),
  },
  { header: 'Kind', cell: ({ format }) => DESTINATION_FORMAT_LABELS[format].name },
  { header: 'Now', cell: DestinationBadge },
  { header: 'Last answer', cell: ({ lastAnswer }) => (lastAnswer ? <Time at={lastAnswer.at} /> : '–') },
  {
    header: 'Told of',
    cell: ({ kind, sends }) =>
      kind === 'audit' ? (
        'Everything in the audit log'
      ) : (
        <span title={sends.map(typeText).join('\n')}>
          {sends.length === 1 ? sends[0] : `${sends.length} types of messages`}
        </span>
      ),
  },
];
