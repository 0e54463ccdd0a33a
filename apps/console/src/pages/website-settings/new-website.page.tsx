import { getRouteApi, Link } from '@tanstack/react-router';
import { useRegisterWebsite } from '../../api/websites';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { WEBSITE_FIELDS, WebsiteFields, websiteIn } from './website-fields';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/new');

export function NewWebsitePage() {
  const { organizationId } = route.useParams();
  const register = useRegisterWebsite();
  const navigate = route.useNavigate();
  const submit = (texts: Readonly<Record<string, string>>) =>
    register.mutate(
      { organizationId, ...websiteIn(texts), timezone: texts['timezone'] ?? 'UTC' },
      {
        onSuccess: ({ id }) =>
          void navigate({
            to: '/organizations/$organizationId/websites/$websiteId/install',
            params: { organizationId, websiteId: id },
          }),
      },
    );
  return (
    <div className="page">
      <PageHeader title="New website" description="What visitors, page views and events are counted for" />
      <Section title="Settings">
        <Form onSubmit={submit} error={register.error} fields={WEBSITE_FIELDS}>
          <WebsiteFields error={register.error} />
          <FormActions submit="Create the website" variant="primary" isBusy={register.isPending}>
            <Link className="button" to="/organizations/$organizationId/websites" params={{ organizationId }}>
              Cancel
            </Link>
          </FormActions>
        </Form>
      </Section>
    </div>
  );
}
