import type { WebsiteDto } from '@ledgerline/client';
import { fieldMessage } from '../../api/failure';
import { useChangeWebsite } from '../../api/websites';
import { Form, numberIn } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { Section } from '../../components/section';
import { notify } from '../../components/toasts';

/** For how long hits are to be kept. */
export function Retention({ website }: { readonly website: WebsiteDto }) {
  const change = useChangeWebsite(website.id);
  const submit = ({ retentionDays = '' }: Readonly<Record<string, string>>) =>
    change.mutate({ retentionDays: numberIn(retentionDays) }, { onSuccess: () => notify('The retention is saved') });
  return (
    <Section title="Retention" description="Only owners change it.">
      <Form onSubmit={submit} error={change.error} fields={['retentionDays']}>
        <Input
          label="Days for which hits are kept"
          name="retentionDays"
          inputMode="numeric"
          defaultValue={website.retentionDays ?? ''}
          hint="Empty: for ever. It is recorded in the audit log; nothing is deleted by it yet."
          error={fieldMessage(change.error, 'retentionDays')}
        />
        <FormActions submit="Save the retention" isBusy={change.isPending} />
      </Form>
    </Section>
  );
}
