import type { FlagDto, WebsiteDto } from '@ledgerline/client';
import { fieldMessage } from '../../api/failure';
import { Input } from '../../components/input';
import { Select } from '../../components/select';
import { Textarea } from '../../components/textarea';
import { textOfValue } from './flag-draft';
import { STATUSES, UNITS, type FlagType } from './flag-words';

interface IdentityFieldsProps {
  readonly flag: FlagDto | undefined;
  readonly websites: readonly WebsiteDto[];
  readonly error: Error | null;
}

/** What a flag is called and where it exists. Key and website are fixed. */
export const IdentityFields = ({ flag, websites, error }: IdentityFieldsProps) => (
  <>
    <div className="form-row">
      <Input label="Name" name="name" defaultValue={flag?.name} required error={fieldMessage(error, 'name')} />
      {!flag && (
        <Input
          label="Key"
          name="key"
          required
          hint="What clients ask for: new-checkout. It is fixed."
          error={fieldMessage(error, 'key')}
        />
      )}
      {!flag && (
        <Select
          label="Website"
          name="websiteId"
          options={[['', 'All of the organization'], ...websites.map(({ id, name }) => [id, name] as const)]}
        />
      )}
    </div>
    <Textarea
      label="Description"
      name="description"
      defaultValue={flag?.description ?? ''}
      error={fieldMessage(error, 'description')}
    />
    <div className="form-row">
      <Select label="Status" name="status" options={STATUSES} defaultValue={flag?.status} />
      <Input
        label="Environment"
        name="environment"
        defaultValue={flag?.environment ?? ''}
        hint="Empty: in all of them."
        error={fieldMessage(error, 'environment')}
      />
    </div>
  </>
);

interface ValueFieldsProps {
  readonly flag: FlagDto | undefined;
  readonly type: FlagType;
  readonly error: Error | null;
}

const ON_OFF = [
  ['false', 'Off'],
  ['true', 'On'],
] as const;

/** What clients get. */
export const ValueFields = ({ flag, type, error }: ValueFieldsProps) => (
  <>
    <div className="form-row">
      {type === 'rollout' && (
        <>
          <Input
            label="Share in percent"
            name="percentage"
            inputMode="decimal"
            defaultValue={flag?.rollout?.percentage ?? 0}
            required
            error={fieldMessage(error, 'rollout')}
          />
          <Select label="Of" name="by" options={UNITS} defaultValue={flag?.rollout?.by} />
        </>
      )}
      {type === 'multivariant' ? (
        <Input
          label="Value where nothing decides"
          name="defaultText"
          defaultValue={flag?.type === 'multivariant' ? textOfValue(flag.defaultValue) : 'false'}
          hint="JSON; anything else is a text."
          error={fieldMessage(error, 'defaultValue')}
        />
      ) : (
        <Select
          label="Where nothing else decides"
          name="defaultValue"
          options={ON_OFF}
          defaultValue={String(flag?.defaultValue === true)}
          error={fieldMessage(error, 'defaultValue')}
        />
      )}
    </div>
    <Textarea
      label="Payload"
      name="payload"
      defaultValue={flag && flag.payload !== null ? JSON.stringify(flag.payload, null, 2) : ''}
      hint="JSON that clients get while the flag is on for them; empty: none."
      error={fieldMessage(error, 'payload')}
    />
  </>
);
