import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { fieldMessage } from '../../api/failure';
import { organizationsQuery, useCreateOrganization } from '../../api/organizations';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';

const WITHOUT_ONE = 'You belong to no organization yet. Create one, or ask a colleague to invite you.';

/** Also the first page of those who are members of none. */
export function NewOrganizationPage() {
  const { data: organizations } = useSuspenseQuery(organizationsQuery);
  const create = useCreateOrganization();
  const navigate = useNavigate();
  const submit = ({ name = '' }: Readonly<Record<string, string>>) =>
    create.mutate(name, {
      onSuccess: ({ id }) =>
        void navigate({ to: '/organizations/$organizationId/websites', params: { organizationId: id } }),
    });
  return (
    <div className="page">
      <PageHeader title="New organization" description={organizations.length === 0 ? WITHOUT_ONE : undefined} />
      <Section
        title="Name"
        description="An organization owns websites, links, keys and an audit log; its members share them."
      >
        <Form onSubmit={submit} error={create.error} fields={['name']}>
          <Input label="Name" name="name" required error={fieldMessage(create.error, 'name')} />
          <FormActions submit="Create the organization" variant="primary" isBusy={create.isPending} />
        </Form>
      </Section>
    </div>
  );
}
