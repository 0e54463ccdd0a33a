import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { MonitorDto } from '@ledgerline/client';
import { destinationsQuery } from '../../api/destinations';
import { Section } from '../../components/page-parts';

/** Shows who is told when a monitor is down. */
export function MonitorNotifications({ monitor: { id, organizationId } }: { readonly monitor: MonitorDto }) {
  const { data: destinations = [] } = useQuery(destinationsQuery(organizationId));
  const told = destinations.filter(
    ({ sends, monitorIds, enabled }) => enabled && sends.includes('monitor.down') && (monitorIds?.includes(id) ?? true),
  );
  return (
    <Section
      title="Notifications"
      actions={
        <Link
          className="button"
          to="/organizations/$organizationId/destinations/new"
          params={{ organizationId }}
          search={{ monitor: id }}
        >
          Tell me when it is down
        </Link>
      }
    >
      {told.length === 0 ? (
        <p className="soft">Nobody is told when it is down.</p>
      ) : (
        <p>
          Told when it is down:{' '}
          {told.map(({ id: destinationId, name }, at) => (
            <Fragment key={destinationId}>
              {at > 0 && ', '}
              <Link
                to="/organizations/$organizationId/destinations/$destinationId"
                params={{ organizationId, destinationId }}
              >
                {name}
              </Link>
            </Fragment>
          ))}
        </p>
      )}
    </Section>
  );
}
