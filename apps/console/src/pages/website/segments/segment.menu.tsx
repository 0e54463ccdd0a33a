import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCreateRecord } from '../../../api/record-changes';
import { segmentsQuery } from '../../../api/segments';
import { Input } from '../../../components/field';
import { Form, FormActions } from '../../../components/form';
import { Answered } from '../lists/answer';
import type { MenuProps } from '../view/choice';
import { sharedSearch } from '../view/use-view';

/** The segments to choose from, and the way to keep the filters of the page as one. */
export function SegmentMenu({ view, onChosen }: MenuProps) {
  const segments = useQuery(segmentsQuery(view));
  const { organizationId, websiteId, search } = view;
  const choose = (segment: string | undefined) => {
    view.select({ segment });
    onChosen();
  };
  return (
    <div className="segments">
      <Answered query={segments} label="the segments" lines={4}>
        {(known) => (
          <ul className="presets">
            <li>
              <button type="button" aria-pressed={search.segment === undefined} onClick={() => choose(undefined)}>
                Everyone
              </button>
            </li>
            {known.map(({ id, name }) => (
              <li key={id}>
                <button type="button" aria-pressed={search.segment === id} onClick={() => choose(id)}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Answered>
      {view.filters.length > 0 && <KeepFilters view={view} onChosen={onChosen} />}
      <Link
        to="/organizations/$organizationId/websites/$websiteId/segments"
        params={{ organizationId, websiteId }}
        search={sharedSearch(search)}
        onClick={onChosen}
      >
        All segments
      </Link>
    </div>
  );
}

/** The page shows the same as before then. */
function KeepFilters({ view, onChosen }: MenuProps) {
  const create = useCreateRecord('/v1/segments');
  const { organizationId, websiteId, filters } = view;
  return (
    <Form
      change={create}
      onSubmit={({ name = '' }) =>
        create.mutate(
          { organizationId, websiteId, name, filters: [...filters] },
          {
            onSuccess: ({ id }) => {
              view.select({ segment: id, filters: undefined });
              onChosen();
            },
          },
        )
      }
    >
      <Input label="Save as a segment" name="name" placeholder="Name of the segment" required autoComplete="off" />
      <FormActions submit="Save the segment" />
    </Form>
  );
}
