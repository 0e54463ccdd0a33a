import { getRouteApi } from '@tanstack/react-router';
import { Button } from '../../components/button';
import { Input } from '../../components/input';
import { SearchInput } from '../../components/search-input';
import { Select } from '../../components/select';
import { ACTIONS, TARGET_TYPES } from './audit-words';
import type { AuditSearch } from './audit-search';

const route = getRouteApi('/signed-in/organizations/$organizationId/audit');

/** All conditions hold at once; each is kept in the address. */
export function AuditFilters({ search }: { readonly search: AuditSearch }) {
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
        label="What"
        options={[['', 'Any change'], ...Object.keys(ACTIONS).map((action) => [action, wordsOf(action)] as const)]}
        value={search.action ?? ''}
        onChange={({ target }) => change({ action: target.value })}
      />
      <Select
        label="Of"
        options={[['', 'Anything'], ...Object.entries(TARGET_TYPES)]}
        value={search.targetType ?? ''}
        onChange={({ target }) => change({ targetType: target.value })}
      />
      <SearchInput label="Who (id)" {...text('actorId')} />
      <SearchInput label="Which (id)" {...text('targetId')} />
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
