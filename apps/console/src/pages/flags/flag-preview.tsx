import type { FlagDto, FlagResultDto, WebsiteDto } from '@ledgerline/client';
import { fieldMessage } from '../../api/failure';
import { useEvaluateFlag } from '../../api/flags';
import { Badge } from '../../components/badge';
import { Facts } from '../../components/facts';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Section } from '../../components/section';
import { Select } from '../../components/select';
import { REASONS } from './flag-words';

interface FlagPreviewProps {
  readonly flag: FlagDto;
  readonly websites: readonly WebsiteDto[];
}

/** Asks as a client does, so that it shows what clients get. */
export function FlagPreview({ flag, websites }: FlagPreviewProps) {
  const evaluate = useEvaluateFlag();
  const submit = ({ clientId = flag.websiteId ?? '', ...texts }: Readonly<Record<string, string>>) => {
    const sent = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
    evaluate.mutate({ clientId, key: flag.key, ...sent });
  };
  const units = [flag, ...flag.rules].map(({ rollout }) => rollout?.by);
  const attributes = flag.rules.flatMap((rule) => [rule, ...(rule.and ?? [])]).map(({ attribute }) => attribute);
  const has = (unit: 'organization' | 'team') => units.includes(unit) || attributes.includes(`${unit}Id`);
  return (
    <Section title="Try it" description="What a client gets for a person, as the flag is saved.">
      <Form onSubmit={submit} error={evaluate.error} fields={['properties']}>
        <div className="form-row">
          {flag.websiteId === null && (
            <Select label="Website" name="clientId" options={websites.map(({ id, name }) => [id, name])} />
          )}
          <Input label="Id of the person" name="userId" />
          <Input label="Address of the person" name="email" />
          {has('organization') && <Input label="Organization of the person" name="organizationId" />}
          {has('team') && <Input label="Team of the person" name="teamId" />}
          <Input
            label="Properties"
            name="properties"
            hint='JSON, such as {"plan":"team"}'
            error={fieldMessage(evaluate.error, 'properties')}
          />
          <Input label="Environment" name="environment" defaultValue={flag.environment ?? ''} />
        </div>
        <FormActions submit="Evaluate" isBusy={evaluate.isPending} />
      </Form>
      <div role="status">{evaluate.data && <Result result={evaluate.data} />}</div>
    </Section>
  );
}

const Result = ({ result: { enabled, value, payload, reason, variant } }: { readonly result: FlagResultDto }) => (
  <Facts
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
