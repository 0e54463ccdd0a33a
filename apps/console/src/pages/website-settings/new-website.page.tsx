import { getRouteApi, Link } from '@tanstack/react-router';
import { useRegisterWebsite } from '../../api/websites';
import { Button } from '../../components/button';
import { Form } from '../../components/form';
import { FormError } from '../../components/form-error';
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
        <Form onSubmit={submit}>
          <FormError error={register.error} fields={WEBSITE_FIELDS} />
          <WebsiteFields error={register.error} />
          <div className="form-actions">
            <Button type="submit" variant="primary" isBusy={register.isPending}>
              Create the website
            </Button>
            <Link className="button" to="/organizations/$organizationId/websites" params={{ organizationId }}>
              Cancel
            </Link>
          </div>
        </Form>
      </Section>
    </div>
  );
}
