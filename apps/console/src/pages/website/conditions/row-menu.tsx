import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { QueryTypeName } from '@ledgerline/client';
import type { WebsiteFilterName } from '@ledgerline/contracts/attributes';
import { recordsQuery } from '../../../api/records';
import { Menu, MenuItem } from '../../../components/overlays';
import { sharedSearch, type useView } from '../view/use-view';
import type { ConditionKindForm } from './condition-kinds';

interface RowCondition {
  readonly kind: ConditionKindForm['kind'];
  readonly filter: WebsiteFilterName;
}

const PAGE: RowCondition = { kind: 'page', filter: 'path' };

const ROW_CONDITIONS: Readonly<Partial<Record<QueryTypeName, RowCondition>>> = {
  top_pages: PAGE,
  entry_pages: PAGE,
  exit_pages: PAGE,
  custom_events: { kind: 'event', filter: 'event' },
};

/** Returns what the names of a list's rows can be conditions of; undefined for other lists. */
export const conditionOfRows = (type: QueryTypeName): RowCondition | undefined => ROW_CONDITIONS[type];

interface RowMenuProps extends RowCondition {
  readonly value: string;
  readonly view: ReturnType<typeof useView>;
}

const WEBSITE = '/organizations/$organizationId/websites/$websiteId';

/** Shows what can be made of a row: a filter, a goal, a funnel. */
export function RowMenu({ kind, filter, value, view }: RowMenuProps) {
  const navigate = useNavigate();
  const { organizationId, websiteId } = view;
  const params = { organizationId, websiteId };
  const search = { ...sharedSearch(view.search), kind, value };
  return (
    <Menu label={`Use ${value}`} shown="Actions">
      <MenuItem onSelect={() => view.toggle(filter, value)}>Filter by this</MenuItem>
      <MenuItem
        onSelect={() => void navigate({ to: `${WEBSITE}/goals/$goalId`, params: { ...params, goalId: 'new' }, search })}
      >
        New goal
      </MenuItem>
      <FunnelItems
        view={view}
        onOpen={(funnelId) =>
          void navigate({ to: `${WEBSITE}/funnels/$funnelId`, params: { ...params, funnelId }, search })
        }
      />
    </Menu>
  );
}

interface FunnelItemsProps extends Pick<RowMenuProps, 'view'> {
  /** With the id of a funnel, or `new`. */
  readonly onOpen: (funnelId: string) => void;
}

/** There is room for so many. */
const SHOWN = 8;

/** A new funnel that begins with the row, and those that it can be the next step of. */
function FunnelItems({ view, onOpen }: FunnelItemsProps) {
  const { data: funnels = [] } = useQuery(recordsQuery('/v1/funnels', view));
  return (
    <>
      <MenuItem onSelect={() => onOpen('new')}>New funnel that begins here</MenuItem>
      {funnels.slice(-SHOWN).map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => onOpen(id)}>
          Next step of {name}
        </MenuItem>
      ))}
    </>
  );
}
