import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alertDestinationsQuery } from '../../api/alerts';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { Checkbox, FieldGroup } from '../../components/choices';
import type { AlertFieldsProps } from './alert-fields';

/** Where it is told: destinations that are about its website or link, and that the person may use. */
export function AlertDestinations({ organizationId, draft, change }: AlertFieldsProps) {
  const { destinationIds, websiteId, linkId, goalId } = draft;
  const { data: known } = useQuery(alertDestinationsQuery({ organizationId, websiteId, linkId, goalId }));
  const mayManage = isAtLeast(useOwnRole(organizationId), 'admin');
  return (
    <FieldGroup className="group" legend="Notify" field="destinationIds">
      {known?.map(({ id, name, kind }) => (
        <Checkbox
          key={id}
          label={name}
          hint={kind === 'mail' ? 'Mail' : 'Webhook'}
          checked={destinationIds.includes(id)}
          onChange={({ currentTarget: { checked } }) =>
            change({
              destinationIds: checked ? [...destinationIds, id] : destinationIds.filter((each) => each !== id),
            })
          }
        />
      ))}
      {known && (
        <p className="hint">
          {known.length === 0 &&
            (mayManage
              ? 'There is no destination that is about it. '
              : 'An admin has opened no destination to members yet that is about it. ')}
          {destinationIds.length === 0
            ? 'Nobody is notified; what it decides is listed here, and marked on charts.'
            : 'Notified when it begins, and when it is over.'}
        </p>
      )}
      {mayManage && (
        <p className="small">
          <Link to="/organizations/$organizationId/destinations/new" params={{ organizationId }}>
            New destination
          </Link>
        </p>
      )}
    </FieldGroup>
  );
}
