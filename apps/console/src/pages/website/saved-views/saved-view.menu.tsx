import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SavedViewDto } from '@ledgerline/client';
import { useCreateRecord, useUpdateRecord } from '../../../api/record-changes';
import { recordsQuery } from '../../../api/records';
import { Checkbox } from '../../../components/choices';
import { DeleteButton } from '../../../components/delete-button';
import { Input } from '../../../components/field';
import { Form, FormActions } from '../../../components/form';
import { Answered } from '../lists/answer';
import type { MenuProps } from '../view/choice';
import { readAddress, type ViewSearch } from '../view/view-search';

/** The saved views to choose from, and the way to save what the page is about. */
export function SavedViewMenu({ view, onChosen }: MenuProps) {
  const views = useQuery(recordsQuery('/v1/saved-views', view));
  return (
    <div className="stack">
      <Answered query={views} label="the saved views" lines={4}>
        {(known) => {
          const readable = known.filter((each) => each.name !== null);
          return (
            <div className="stack">
              <SavedViews views={readable} view={view} onChosen={onChosen} />
              <SaveView views={readable} view={view} onChosen={onChosen} />
            </div>
          );
        }}
      </Answered>
    </div>
  );
}

interface SavedViewsProps extends MenuProps {
  /** The views that the person sees. */
  readonly views: readonly SavedViewDto[];
}

function SavedViews({ views, view, onChosen }: SavedViewsProps) {
  const held = contentOf(view.search);
  if (views.length === 0) return <p className="hint">A range with its filters can be kept here under a name.</p>;
  return (
    <ul className="presets saved-views" aria-label="Saved views">
      {views.map((each) => (
        <li key={each.id}>
          <button
            type="button"
            aria-pressed={Object.entries(held).every(([part, value]) =>
              isSame(value, each[part as keyof SavedViewDto]),
            )}
            onClick={() => {
              view.select(partsOf(each));
              onChosen();
            }}
          >
            {each.name}
            {each.isPrivate && <span className="soft"> Only you</span>}
          </button>
          <DeleteButton
            path="/v1/saved-views"
            record={each}
            text="×"
            variant="quiet"
            aria-label={`Delete the view ${each.name}`}
            title={`Delete the view ${each.name}?`}
          >
            <p>The figures stay; addresses of pages that were shared stay, too.</p>
          </DeleteButton>
        </li>
      ))}
    </ul>
  );
}

/** Under the name of a saved one it replaces that. */
function SaveView({ views, view, onChosen }: SavedViewsProps) {
  const [name, setName] = useState('');
  const content = contentOf(view.search);
  const { organizationId, websiteId } = view;
  const saved = { onSuccess: onChosen };
  const namesake = views.find((each) => each.name === name.trim());
  const creation = useCreateRecord('/v1/saved-views');
  const replacement = useUpdateRecord('/v1/saved-views', namesake?.id ?? '');
  return (
    <Form
      change={namesake ? replacement : creation}
      onSubmit={({ isPrivate }) =>
        namesake
          ? replacement.mutate(content, saved)
          : creation.mutate({ organizationId, websiteId, name, isPrivate: isPrivate !== undefined, ...content }, saved)
      }
    >
      <Input
        label="Save what this page shows as"
        name="name"
        placeholder="Name of the view"
        required
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      {!namesake && <Checkbox name="isPrivate" label="Only for me" />}
      <FormActions submit={namesake ? 'Replace the view' : 'Save the view'} />
    </Form>
  );
}

/** Returns what a page is about, as the api keeps it. */
const contentOf = ({ preset, from, to, compare, filters = [], segment, goal }: ViewSearch) => ({
  ...(from === undefined
    ? { preset: preset ?? null, startDate: null, endDate: null }
    : { preset: null, startDate: from, endDate: to ?? null }),
  compare: compare ?? null,
  filters: [...filters],
  segment: segment ?? null,
  goal: goal ?? null,
});

/** The order of names does not count in either. */
const isSame = (left: unknown, right: unknown): boolean => canonical(left) === canonical(right);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** The parts of an address that show what a view holds. */
const partsOf = ({ preset, startDate, endDate, compare, filters, segment, goal }: SavedViewDto) => ({
  ...NOTHING,
  ...readAddress({ preset, from: startDate, to: endDate, compare, filters }),
  segment: segment ?? undefined,
  goal: goal ?? undefined,
});

/** Parts of an address that a view may hold, taken out. */
const NOTHING = {
  preset: undefined,
  from: undefined,
  to: undefined,
  compare: undefined,
  filters: undefined,
  segment: undefined,
  goal: undefined,
};
