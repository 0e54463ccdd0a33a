import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { FunnelDto } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { useCreateRecord, useUpdateRecord } from '../../../api/record-changes';
import { recordsQuery } from '../../../api/records';
import { Button } from '../../../components/button';
import { DeleteButton } from '../../../components/delete-button';
import { NotFound, PageHeader } from '../../../components/page';
import { Notice } from '../../../components/states';
import { notify } from '../../../components/toasts';
import { Answered, AnswerMenu } from '../lists/answer';
import { sharedSearch, useView } from '../view/use-view';
import { comparisonOf } from '../view/view-scope';
import { WebsitePage } from '../website-page';
import { funnelDraftOf, newFunnel, newStep, STEPS, type FunnelDraft } from './funnel-draft';
import { FunnelForm } from './funnel-form';
import { FunnelBy, FunnelSeries, FunnelVisitors, type FunnelPartProps } from './funnel-parts';
import { FunnelSteps } from './funnel-steps';

type View = ReturnType<typeof useView>;

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/funnels/$funnelId');
const FUNNELS = '/organizations/$organizationId/websites/$websiteId/funnels';

/** One funnel, or the form of a new one. */
export function FunnelPage() {
  const { funnelId } = route.useParams();
  const search = route.useSearch();
  const view = useView();
  const funnels = useQuery(recordsQuery('/v1/funnels', view));
  return (
    <Answered query={funnels} label="the funnel" lines={8}>
      {(known) => {
        if (funnelId === 'new') {
          const copied = known.find(({ id }) => id === search.copy);
          const first = copied ? copyOf(copied, known) : newFunnel(search);
          return <NewFunnel key={JSON.stringify([search.copy, search.value])} first={first} view={view} />;
        }
        const funnel = known.find(({ id }) => id === funnelId);
        return funnel ? <OneFunnel key={funnel.id} funnel={funnel} view={view} search={search} /> : <NotFound />;
      }}
    </Answered>
  );
}

/** With a name that no other has. */
function copyOf(funnel: FunnelDto, known: readonly FunnelDto[]): FunnelDraft {
  const names = new Set(known.map(({ name }) => name));
  const numbered = [funnel.name, ...known.map((_, at) => `${funnel.name} ${at + 2}`)];
  return { ...funnelDraftOf(funnel), name: numbered.find((name) => !names.has(name)) ?? '' };
}

function NewFunnel({ first, view }: { readonly first: FunnelDraft; readonly view: View }) {
  const create = useCreateRecord('/v1/funnels');
  const navigate = route.useNavigate();
  const { organizationId, websiteId } = view;
  const search = sharedSearch(view.search);
  return (
    <div className="page">
      <PageHeader title="New funnel" description="Counted at once, also of what has happened before" />
      <FunnelForm
        first={first}
        scope={view.scope}
        identity={view.website.visitorIdentity}
        change={create}
        submit="Create the funnel"
        onSubmit={(settings) =>
          create.mutate(
            { organizationId, websiteId, ...settings },
            {
              onSuccess: ({ id }) =>
                void navigate({
                  to: `${FUNNELS}/$funnelId`,
                  params: { organizationId, websiteId, funnelId: id },
                  search,
                }),
            },
          )
        }
        cancel={
          <Link className="button" to={FUNNELS} params={{ organizationId, websiteId }} search={search}>
            Cancel
          </Link>
        }
      />
    </div>
  );
}

function OneFunnel(props: FunnelPartProps) {
  const { funnel, view, search } = props;
  const change = useUpdateRecord('/v1/funnels', funnel.id);
  const isStep = search.kind !== undefined && funnel.steps.length < STEPS.max;
  const [isEdited, setEdited] = useState(false);
  const close = () => {
    setEdited(false);
    view.change({ kind: undefined, value: undefined });
  };
  return (
    <WebsitePage
      title={funnel.name}
      lead={<Link {...backTo(view)}>All funnels</Link>}
      actions={<FunnelActions funnel={funnel} view={view} onEdit={() => setEdited(true)} />}
      view={view}
    >
      {(isEdited || isStep) && (
        <FunnelSettings
          key={`${funnel.revision} ${search.kind} ${search.value}`}
          funnel={funnel}
          view={view}
          search={search}
          isStep={isStep}
          change={change}
          onClose={close}
          onSave={(changed) =>
            change.mutate(changed, {
              onSuccess: () => {
                close();
                notify('The funnel is saved');
              },
            })
          }
        />
      )}
      <FunnelFigures {...props} />
    </WebsitePage>
  );
}

interface FunnelSettingsProps extends FunnelPartProps {
  /** A row of a list leads here. */
  readonly isStep: boolean;
  readonly change: ReturnType<typeof useUpdateRecord<'/v1/funnels'>>;
  readonly onClose: () => void;
  readonly onSave: (changed: Parameters<ReturnType<typeof useUpdateRecord<'/v1/funnels'>>['mutate']>[0]) => void;
}

/** The form, with one more step where a row of a list leads here. */
function FunnelSettings({ funnel, view, search, isStep, change, onClose, onSave }: FunnelSettingsProps) {
  const { kind, value } = search;
  const [saved] = useState(() => funnelDraftOf(funnel));
  const [first] = useState(() =>
    isStep && kind ? { ...saved, steps: [...saved.steps, newStep({ kind, ...(value && { value }) })] } : saved,
  );
  return (
    <>
      {isStep && <Notice tone="info">The form below has one more step, which is not saved yet.</Notice>}
      <FunnelForm
        first={first}
        saved={saved}
        scope={view.scope}
        identity={view.website.visitorIdentity}
        change={change}
        submit="Save the funnel"
        onSubmit={(_, changed) => onSave(changed)}
        cancel={<Button onClick={onClose}>Cancel</Button>}
      />
    </>
  );
}

const backTo = ({ organizationId, websiteId, search }: View) =>
  ({ to: FUNNELS, params: { organizationId, websiteId }, search: sharedSearch(search) }) as const;

interface FunnelActionsProps extends Omit<FunnelPartProps, 'search'> {
  readonly onEdit: () => void;
}

function FunnelActions({ funnel, view, onEdit }: FunnelActionsProps) {
  const navigate = route.useNavigate();
  const { organizationId, websiteId } = view;
  return (
    <>
      <Button onClick={onEdit}>Edit</Button>
      <Link
        className="button"
        to={`${FUNNELS}/$funnelId`}
        params={{ organizationId, websiteId, funnelId: 'new' }}
        search={{ ...sharedSearch(view.search), copy: funnel.id }}
      >
        Duplicate
      </Link>
      <DeleteButton path="/v1/funnels" record={funnel} onDeleted={() => void navigate(backTo(view))}>
        <p>The events stay; a funnel of the same definition has the same numbers again.</p>
      </DeleteButton>
    </>
  );
}

/** All that is counted; what ids of visitors cannot know is said once. */
function FunnelFigures(props: FunnelPartProps) {
  const { funnel, view } = props;
  const parameter = { name: 'funnel', funnel: funnel.id, ...comparisonOf(view.search) } as const;
  const query = useQuery(figuresQuery(view.scope, parameter));
  const notes = query.data?.meta.notes.filter((note) => note.includes('ttempt')) ?? [];
  return (
    <>
      <section className="query-panel overview" aria-label="Funnel">
        <header className="query-panel-head">
          <h2>Steps</h2>
        </header>
        <Answered query={query} label="the steps" lines={8}>
          {({ rows }) => (
            <FunnelSteps
              funnel={funnel}
              rows={rows}
              onWho={(state, step) => view.change({ who: `${state}-${step}`, page: undefined })}
            />
          )}
        </Answered>
        <footer className="query-panel-foot">
          <span className="soft">{[...new Set(notes.map(withoutName))].join(' ')}</span>
          <AnswerMenu title="Funnel" scope={view.scope} parameter={parameter} />
        </footer>
      </section>
      {query.data && (
        <>
          <FunnelVisitors {...props} />
          <FunnelSeries funnel={funnel} view={view} />
          <FunnelBy {...props} />
        </>
      )}
    </>
  );
}

/** A note of the api, without the name of its parameter before it. */
const withoutName = (note: string): string => note.replace(/^parameters\[\d+\] \(\w+\): /, '');
