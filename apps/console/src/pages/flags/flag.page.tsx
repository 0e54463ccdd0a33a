import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { FlagDto, FlagResultDto, WebsiteDto } from '@ledgerline/client';
import { messageOf } from '../../api/failure';
import { flagsQuery, useEvaluateFlag } from '../../api/flags';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { useUpdateRecord } from '../../api/record-changes';
import { websitesQuery } from '../../api/websites';
import { Button } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import { Input, Select } from '../../components/field';
import { Form, FormActions, type Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { Badge, DescriptionList, Section, Time } from '../../components/page-parts';
import { notify } from '../../components/toasts';
import { optionsIn, type FlagDraft } from './flag-draft';
import { FlagForm } from './flag-form.page';
import { environmentsOf, REASONS, STATUS_BADGES, flagSummary } from './flag-words';

const route = getRouteApi('/signed-in/organizations/$organizationId/flags/$flagId');

export function FlagPage() {
  const { organizationId, flagId } = route.useParams();
  const { data: flags } = useSuspenseQuery(flagsQuery(organizationId));
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const mayChange = isAtLeast(useOwnRole(organizationId), 'admin');
  const flag = flags.find(({ id }) => id === flagId);
  if (!flag) return null; // it is being deleted
  const [tone, status] = STATUS_BADGES[flag.status];
  return (
    <div className="page">
      <PageHeader
        title={flag.name}
        description={<code>{flag.key}</code>}
        actions={mayChange && <FlagActions flag={flag} />}
      />
      <Section title="Now">
        <DescriptionList
          facts={[
            [
              'Status',
              <Badge key="status" tone={tone}>
                {status}
              </Badge>,
            ],
            ['Value', flagSummary(flag)],
            ['Website', websites.find(({ id }) => id === flag.websiteId)?.name ?? 'All of the organization'],
            ['Environment', environmentsOf(flag).join(', ') || 'All'],
            ['Changed', <Time key="changed" at={flag.updatedAt} />],
          ]}
        />
      </Section>
      <FlagPreview flag={flag} websites={websites} />
      {mayChange && <Changes key={flag.revision} flag={flag} />}
    </div>
  );
}

function Changes({ flag }: { readonly flag: FlagDto }) {
  const { data: websites } = useSuspenseQuery(websitesQuery(flag.organizationId));
  const change = useUpdateRecord('/v1/flags', flag.id);
  const submit = (texts: Texts, draft: FlagDraft) =>
    change.mutate(
      { name: texts['name'] ?? '', ...optionsIn(texts, draft) },
      { onSuccess: () => notify('The flag is saved, and in force') },
    );
  return <FlagForm flag={flag} websites={websites} change={change} onSubmit={submit} submit="Save the flag" />;
}

/** Archiving, which can be undone, and deletion. */
function FlagActions({ flag }: { readonly flag: FlagDto }) {
  const change = useUpdateRecord('/v1/flags', flag.id);
  const navigate = useNavigate();
  const isArchived = flag.status === 'archived';
  const archive = () =>
    change.mutate(
      { status: isArchived ? 'active' : 'archived' },
      {
        onSuccess: () => notify(isArchived ? 'The flag is active' : 'The flag is archived'),
        onError: (error) => notify(messageOf(error)),
      },
    );
  const params = { organizationId: flag.organizationId };
  return (
    <>
      <Button isBusy={change.isPending} onClick={archive}>
        {isArchived ? 'Activate' : 'Archive'}
      </Button>
      <DeleteButton
        path="/v1/flags"
        record={flag}
        onDeleted={() => void navigate({ to: '/organizations/$organizationId/flags', params })}
      >
        <p>Clients do not find it any more, and its key is free for another flag.</p>
      </DeleteButton>
    </>
  );
}

interface FlagPreviewProps {
  readonly flag: FlagDto;
  readonly websites: readonly WebsiteDto[];
}

/** Asks as a client does, so that it shows what clients get. */
function FlagPreview({ flag, websites }: FlagPreviewProps) {
  const evaluate = useEvaluateFlag();
  const submit = ({ clientId = flag.websiteId ?? '', ...texts }: Texts) => {
    const sent = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
    evaluate.mutate({ clientId, key: flag.key, ...sent });
  };
  const units = [flag, ...flag.rules].map(({ rollout }) => rollout?.by);
  const attributes = flag.rules.flatMap((rule) => [rule, ...(rule.and ?? [])]).map(({ attribute }) => attribute);
  const has = (unit: 'organization' | 'team') => units.includes(unit) || attributes.includes(`${unit}Id`);
  return (
    <Section title="Try it" description="Evaluates the saved flag for a person.">
      <Form onSubmit={submit} change={evaluate}>
        <div className="form-row">
          {flag.websiteId === null && (
            <Select label="Website" name="clientId" options={websites.map(({ id, name }) => [id, name])} />
          )}
          <Input label="User id" name="userId" />
          <Input label="Email" name="email" />
          {has('organization') && <Input label="Organization id" name="organizationId" />}
          {has('team') && <Input label="Team id" name="teamId" />}
          <Input label="Properties" name="properties" hint='JSON, such as {"plan":"team"}' />
          <Input label="Environment" name="environment" defaultValue={flag.environment ?? ''} />
        </div>
        <FormActions submit="Evaluate" />
      </Form>
      <div role="status">{evaluate.data && <Result result={evaluate.data} />}</div>
    </Section>
  );
}

const Result = ({ result: { enabled, value, payload, reason, variant } }: { readonly result: FlagResultDto }) => (
  <DescriptionList
    facts={[
      [
        'The flag is',
        <Badge key="enabled" tone={enabled ? 'good' : 'neutral'}>
          {enabled ? 'On' : 'Off'}
        </Badge>,
      ],
      ['Value', <code key="value">{JSON.stringify(value)}</code>],
      ...(variant === undefined ? [] : [['Variant', variant] as const]),
      ['Payload', payload === null ? 'None' : <code key="payload">{JSON.stringify(payload)}</code>],
      ['Why', REASONS[reason]],
    ]}
  />
);
