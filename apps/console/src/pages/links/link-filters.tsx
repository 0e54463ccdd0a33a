import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LINK_SORT_OPTIONS, type LinkListFilter } from '../../api/links';
import { tagsQuery } from '../../api/tags';
import { Select } from '../../components/field';
import { SearchInput } from '../../components/text-fields';

const route = getRouteApi('/signed-in/organizations/$organizationId/links');

const SORTS = [
  ['-createdAt', 'Newest first'],
  ['createdAt', 'Oldest first'],
  ['-updatedAt', 'Changed last'],
  ['name', 'Name, A to Z'],
  ['-name', 'Name, Z to A'],
] as const satisfies readonly (readonly [(typeof LINK_SORT_OPTIONS)[number], string])[];

interface FiltersProps {
  readonly organizationId: string;
  readonly filter: LinkListFilter;
  readonly children: ReactNode;
}

/** Shows what a list of links is limited to, and its order. */
export function LinkFilters({
  organizationId,
  filter: { search = '', externalId = '', tagId = '', sort },
  children,
}: FiltersProps) {
  const { data: tags = [] } = useQuery(tagsQuery(organizationId));
  const navigate = route.useNavigate();
  const change = (changed: LinkListFilter) =>
    void navigate({ search: (others) => ({ ...others, ...changed }), replace: true });
  return (
    <div className="toolbar">
      <SearchInput
        label="Search"
        placeholder="Search name, slug or destination"
        value={search}
        onSearch={(text) => change({ search: text || undefined })}
      />
      <SearchInput
        label="External id"
        placeholder="External id, exactly"
        value={externalId}
        onSearch={(text) => change({ externalId: text || undefined })}
      />
      {(tags.length > 0 || tagId !== '') && (
        <Select
          label="Tag"
          options={[['', 'Any tag'], ...tags.map(({ id, name }) => [id, name] as const)]}
          value={tagId}
          onChange={({ target }) => change({ tagId: target.value || undefined })}
        />
      )}
      <Select
        label="Order"
        options={SORTS}
        value={sort ?? '-createdAt'}
        onChange={({ target }) => change({ sort: LINK_SORT_OPTIONS.find((each) => each === target.value) })}
      />
      {children}
    </div>
  );
}
