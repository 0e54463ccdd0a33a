import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SegmentDto } from '@ledgerline/client';
import { useCreateRecord, useUpdateRecord } from '../../../api/record-changes';
import { segmentsQuery } from '../../../api/segments';
import { Checkbox } from '../../../components/choices';
import { DeleteButton } from '../../../components/delete-button';
import { Input } from '../../../components/field';
import type { RequestState } from '../../../components/form';
import { NotFound, PageHeader } from '../../../components/page';
import { FormSection } from '../../../components/page-parts';
import { notify } from '../../../components/toasts';
import { Answered } from '../lists/answer';
import { FilterBar } from '../view/filter-bar';
import { sharedSearch, useView } from '../view/use-view';
import type { ViewFilter } from '../view/view-search';
import { deedDraftOf, deedIn, DeedsEditor, type DeedDraft } from './deeds-editor';

type View = ReturnType<typeof useView>;

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/segments/$segmentId');
const SEGMENTS = '/organizations/$organizationId/websites/$websiteId/segments';

/** One segment, or the form of a new one. */
export function SegmentPage() {
  const { segmentId } = route.useParams();
  const view = useView();
  const segments = useQuery(segmentsQuery(view));
  if (segmentId === 'new') return <NewSegment view={view} />;
  return (
    <Answered query={segments} label="the segment" lines={8}>
      {(known) => {
        const segment = known.find(({ id }) => id === segmentId);
        return segment ? <OneSegment key={segment.revision} segment={segment} view={view} /> : <NotFound />;
      }}
    </Answered>
  );
}

function useBack({ organizationId, websiteId, search }: View) {
  return { to: SEGMENTS, params: { organizationId, websiteId }, search: sharedSearch(search) } as const;
}

function NewSegment({ view }: { readonly view: View }) {
  const create = useCreateRecord('/v1/segments');
  const navigate = route.useNavigate();
  const back = useBack(view);
  const { organizationId, websiteId } = view;
  return (
    <div className="page analytics">
      <PageHeader title="New segment" description="Sessions that have something in common" />
      <SegmentForm
        view={view}
        segment={{ name: '', filters: [...view.filters], did: [] }}
        change={create}
        submit="Create the segment"
        onSubmit={({ isOfAll, ...settings }) =>
          create.mutate(
            { organizationId, ...(isOfAll ? {} : { websiteId }), ...settings },
            { onSuccess: () => void navigate(back) },
          )
        }
      />
    </div>
  );
}

function OneSegment({ segment, view }: { readonly segment: SegmentDto; readonly view: View }) {
  const change = useUpdateRecord('/v1/segments', segment.id);
  const navigate = route.useNavigate();
  const back = useBack(view);
  const leave = () => void navigate({ ...back, search: { ...back.search, segment: undefined } });
  return (
    <div className="page analytics">
      <PageHeader
        title={segment.name}
        description={segment.websiteId === null ? 'A segment of all websites of the organization' : 'A segment'}
        actions={
          <DeleteButton path="/v1/segments" record={segment} onDeleted={leave}>
            <p>The events stay; addresses with the segment say that it is gone.</p>
          </DeleteButton>
        }
      />
      <SegmentForm
        view={view}
        segment={segment}
        change={change}
        submit="Save the segment"
        onSubmit={({ name, filters, did }) =>
          change.mutate({ name, filters, did }, { onSuccess: () => notify('The segment is saved') })
        }
      />
    </div>
  );
}

interface Settings extends Pick<SegmentDto, 'name' | 'filters' | 'did'> {
  readonly isOfAll: boolean;
}

interface SegmentFormProps {
  readonly view: View;
  readonly segment: Pick<SegmentDto, 'name' | 'filters' | 'did'> & Partial<SegmentDto>;
  readonly change: RequestState;
  readonly submit: string;
  readonly onSubmit: (settings: Settings) => void;
}

function SegmentForm({ view, segment, change, submit, onSubmit }: SegmentFormProps) {
  const [filters, setFilters] = useState<readonly ViewFilter[]>(segment.filters);
  const [did, setDid] = useState<readonly DeedDraft[]>(() => segment.did.map(deedDraftOf));
  return (
    <FormSection
      title="Settings"
      variant="primary"
      change={change}
      submit={submit}
      onSubmit={({ name = '', isOfAll }) =>
        onSubmit({ name, filters: [...filters], did: did.map(deedIn), isOfAll: isOfAll !== undefined })
      }
      cancel={
        <Link className="button" {...useBack(view)}>
          Back
        </Link>
      }
    >
      <Input label="Name" name="name" defaultValue={segment.name} required />
      {segment.id === undefined && <Checkbox name="isOfAll" label="Of all websites of the organization" />}
      <fieldset>
        <legend>Filters, all of which must hold</legend>
        <div className="view-bar" role="group" aria-label="Filters of the segment" tabIndex={-1}>
          <FilterBar view={{ filters, scope: view.scope, select: ({ filters: next = [] }) => setFilters(next) }} />
        </div>
      </fieldset>
      <DeedsEditor deeds={did} scope={view.scope} onChange={setDid} />
    </FormSection>
  );
}
