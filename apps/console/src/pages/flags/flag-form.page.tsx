import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, type FlagDto, type WebsiteDto } from '@ledgerline/client';
import { useCreateRecord } from '../../api/record-changes';
import { websitesQuery } from '../../api/websites';
import { Input, Select } from '../../components/field';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { FormSection, type FormSectionProps } from '../../components/page-parts';
import { Textarea } from '../../components/text-fields';
import { flagDraftOf, optionsIn, flagRowKeys, textOfValue, type FlagDraft } from './flag-draft';
import { FLAG_STATUS_OPTIONS, TYPES, ROLLOUT_UNIT_OPTIONS, type FlagKind } from './flag-words';
import { EnvironmentsEditor, VariantsEditor } from './row-editors';
import { RulesEditor } from './rules-editor';

const route = getRouteApi('/signed-in/organizations/$organizationId/flags/new');

export function NewFlagPage() {
  const { organizationId } = route.useParams();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const create = useCreateRecord('/v1/flags');
  const navigate = route.useNavigate();
  const submit = (texts: Texts, draft: FlagDraft) => {
    const { key = '', name = '', websiteId } = texts;
    const body = { organizationId, websiteId: websiteId || null, key, name, ...optionsIn(texts, draft) };
    create.mutate(body, {
      onSuccess: ({ id }) =>
        void navigate({ to: '/organizations/$organizationId/flags/$flagId', params: { organizationId, flagId: id } }),
    });
  };
  return (
    <div className="page">
      <PageHeader title="New flag" description="Active as soon as it is created" />
      <FlagForm
        websites={websites}
        change={create}
        onSubmit={submit}
        submit="Create the flag"
        cancel={
          <Link className="button" to="/organizations/$organizationId/flags" params={{ organizationId }}>
            Cancel
          </Link>
        }
      />
    </div>
  );
}

interface FlagFormProps extends Pick<FormSectionProps, 'change' | 'submit' | 'cancel'> {
  /** Absent for a new one. */
  readonly flag?: FlagDto;
  readonly websites: readonly WebsiteDto[];
  readonly onSubmit: (texts: Texts, draft: FlagDraft) => void;
}

/** Shows what a flag is created with and what is changed of it. */
export function FlagForm({ flag, websites, change, onSubmit, ...section }: FlagFormProps) {
  const [draft, setDraft] = useState(() => flagDraftOf(flag));
  const [type, setType] = useState<FlagKind>(flag?.type ?? 'boolean');
  const [sent, setSent] = useState(draft);
  const [wrong, setWrong] = useState<ApiError>();
  const submit = (texts: Texts) => {
    setWrong(undefined);
    setSent(draft);
    try {
      onSubmit(texts, draft);
    } catch (found) {
      if (!(found instanceof ApiError)) throw found;
      setWrong(found);
    }
  };
  const error = wrong ?? change.error;
  // what a row is refused for is not said of the one that takes its place
  const rows = { error: flagRowKeys(sent) === flagRowKeys(draft) ? error : null };
  return (
    <FormSection title="Settings" variant="primary" change={{ ...change, error }} onSubmit={submit} {...section}>
      <IdentityFields flag={flag} websites={websites} />
      <EnvironmentsEditor
        {...rows}
        environments={draft.environments}
        onChange={(environments) => setDraft({ ...draft, environments })}
      />
      <Select
        label="Type"
        name="type"
        options={TYPES}
        value={type}
        onChange={({ target }) => setType(TYPES.find(([each]) => each === target.value)?.[0] ?? type)}
      />
      <ValueFields flag={flag} type={type} />
      {type === 'multivariant' && (
        <VariantsEditor {...rows} variants={draft.variants} onChange={(variants) => setDraft({ ...draft, variants })} />
      )}
      <RulesEditor {...rows} rules={draft.rules} onChange={(rules) => setDraft({ ...draft, rules })} />
    </FormSection>
  );
}

interface IdentityFieldsProps {
  readonly flag: FlagDto | undefined;
  readonly websites: readonly WebsiteDto[];
}

/** Shows what a flag is called and where it exists. Key and website are fixed. */
const IdentityFields = ({ flag, websites }: IdentityFieldsProps) => (
  <>
    <div className="form-row">
      <Input label="Name" name="name" defaultValue={flag?.name} required />
      {!flag && <Input label="Key" name="key" required hint="Such as new-checkout. It cannot be changed." />}
      {!flag && (
        <Select
          label="Website"
          name="websiteId"
          options={[['', 'All of the organization'], ...websites.map(({ id, name }) => [id, name] as const)]}
        />
      )}
    </div>
    <Textarea label="Description" name="description" defaultValue={flag?.description ?? ''} />
    <div className="form-row">
      <Select label="Status" name="status" options={FLAG_STATUS_OPTIONS} defaultValue={flag?.status} />
      <Input label="Environment" name="environment" defaultValue={flag?.environment ?? ''} hint="Empty: all" />
    </div>
  </>
);

interface ValueFieldsProps {
  readonly flag: FlagDto | undefined;
  readonly type: FlagKind;
}

const ON_OFF = [
  ['false', 'Off'],
  ['true', 'On'],
] as const;

/** Shows what clients get. */
const ValueFields = ({ flag, type }: ValueFieldsProps) => (
  <>
    <div className="form-row">
      {type === 'rollout' && (
        <>
          <Input
            label="Rollout (%)"
            name="percentage"
            inputMode="decimal"
            defaultValue={flag?.rollout?.percentage ?? 0}
            required
            field="rollout"
          />
          <Select label="By" name="by" options={ROLLOUT_UNIT_OPTIONS} defaultValue={flag?.rollout?.by} />
        </>
      )}
      {type === 'multivariant' ? (
        <Input
          label="Default value"
          name="defaultText"
          defaultValue={flag?.type === 'multivariant' ? textOfValue(flag.defaultValue) : 'false'}
          hint="JSON; anything else is a text."
          field="defaultValue"
        />
      ) : (
        <Select
          label="Default value"
          name="defaultValue"
          options={ON_OFF}
          defaultValue={String(flag?.defaultValue === true)}
        />
      )}
    </div>
    <Textarea
      label="Payload"
      name="payload"
      defaultValue={flag && flag.payload !== null ? JSON.stringify(flag.payload, null, 2) : ''}
      hint="JSON, sent to clients while the flag is on"
    />
  </>
);
