import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { monitorsQuery } from '../../api/monitors';
import { useCreateRecord } from '../../api/record-changes';
import { PageHeader } from '../../components/page';
import { DestinationForm } from './destination-form';
import { DestinationSecret } from './destination-secret';
import { isSigned } from './destination-words';

const route = getRouteApi('/signed-in/organizations/$organizationId/destinations/new');

/** The form of a new destination; with a monitor in its address it is filled in to tell when that is down. */
export function NewDestinationPage() {
  const { organizationId } = route.useParams();
  const { monitor } = route.useSearch();
  const { data: monitors } = useSuspenseQuery(monitorsQuery(organizationId));
  const navigate = route.useNavigate();
  const create = useCreateRecord('/v1/destinations');
  const open = (destinationId: string) =>
    void navigate({
      to: '/organizations/$organizationId/destinations/$destinationId',
      params: { organizationId, destinationId },
    });
  const watched = monitors.find(({ id }) => id === monitor);
  return (
    <div className="page">
      <PageHeader
        title="New destination"
        description={watched ? `Told when ${watched.name} is down, and when it is up again` : 'Told of what happens'}
      />
      <DestinationForm
        organizationId={organizationId}
        {...(watched && {
          preset: { name: watched.name, sends: ['monitor.down', 'monitor.up'], monitorIds: [watched.id] },
        })}
        submit="Create the destination"
        change={create}
        onSubmit={(settings, format, fixed) =>
          create.mutate(
            { organizationId, ...settings, ...fixed },
            { onSuccess: ({ id }) => !isSigned(format) && open(id) },
          )
        }
        cancel={
          <Link className="button" to="/organizations/$organizationId/destinations" params={{ organizationId }}>
            Cancel
          </Link>
        }
      />
      {create.data && isSigned(create.data.format) && (
        <DestinationSecret created={create.data} onClose={() => open(create.data.id)} />
      )}
    </div>
  );
}
