import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { organizationsQuery } from '../api/organizations';
import { Menu, MenuItem } from '../components/menu';

/** Which organization is shown, if one is; choosing one leads to its websites. */
export function OrganizationMenu() {
  const { organizationId } = useParams({ strict: false });
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const navigate = useNavigate();
  const current = organizations.find(({ id }) => id === organizationId);
  if (organizations.length === 0) return null;
  return (
    <Menu label="Organization" shown={current?.name ?? 'Organizations'}>
      {organizations.map(({ id, name }) => (
        <MenuItem
          key={id}
          onSelect={() =>
            void navigate({ to: '/organizations/$organizationId/websites', params: { organizationId: id } })
          }
        >
          {name}
        </MenuItem>
      ))}
      <MenuItem onSelect={() => void navigate({ to: '/new-organization' })}>New organization …</MenuItem>
    </Menu>
  );
}
