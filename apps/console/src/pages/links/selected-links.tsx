import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { LinkDto } from '@ledgerline/client';
import { useTagLinks } from '../../api/link-changes';
import { tagsQuery } from '../../api/tags';
import { Button } from '../../components/button';
import { Select } from '../../components/field';
import { FormError } from '../../components/form';
import type { TableColumn } from '../../components/table';
import { notify } from '../../components/toasts';

/** The most of one request. */
const MAX_SELECTED = 1_000;

/** Returns which of the listed links are selected, by id. */
export function useSelectedLinks() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      ids,
      toggle: (id: string) => setIds((before) => toggled(before, id)),
      clear: () => setIds(new Set()),
    }),
    [ids],
  );
}

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id) && after.size < MAX_SELECTED) after.add(id);
  return after;
}

type Selected = ReturnType<typeof useSelectedLinks>;
export type SelectedIds = Pick<Selected, 'ids' | 'toggle'>;

/** The column that selects links. */
export const selectColumn = ({ ids, toggle }: SelectedIds): TableColumn<LinkDto> => ({
  header: 'Select',
  cell: ({ id, name }) => (
    <input type="checkbox" aria-label={`Select ${name}`} checked={ids.has(id)} onChange={() => toggle(id)} />
  ),
});

interface SelectedLinksProps {
  readonly organizationId: string;
  readonly selected: Selected;
}

/** Puts a tag on the selected links, or takes it off. */
export function SelectedLinks({ organizationId, selected: { ids, clear } }: SelectedLinksProps) {
  const { data: tags = [] } = useQuery(tagsQuery(organizationId));
  const [chosen, setChosen] = useState('');
  const change = useTagLinks(organizationId);
  const tag = tags.find(({ id }) => id === chosen) ?? tags[0];
  if (!tag || ids.size === 0) return null;
  const send = (how: 'add' | 'remove') =>
    change.mutate(
      { linkIds: [...ids], [how]: [tag.id] },
      {
        onSuccess: ({ tagged, failed, results }) => {
          const refused = results.find(({ success }) => !success)?.error;
          notify(failed === 0 ? `Changed ${tagged}` : `${tagged} changed, ${failed} refused: ${refused}`);
          if (failed === 0) clear();
        },
      },
    );
  return (
    <div className="toolbar" role="group" aria-label="Selected links">
      <p aria-live="polite">{ids.size.toLocaleString()} selected</p>
      <Select
        label="Tag of the selected"
        options={tags.map(({ id, name }) => [id, name] as const)}
        value={tag.id}
        onChange={({ target }) => setChosen(target.value)}
      />
      <Button isBusy={change.isPending} onClick={() => send('add')}>
        Add tag
      </Button>
      <Button isBusy={change.isPending} onClick={() => send('remove')}>
        Remove tag
      </Button>
      <Button onClick={clear}>Clear</Button>
      <FormError error={change.error} />
    </div>
  );
}
