import type { WebsiteDto } from '@ledgerline/client';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRegisterWebsite } from '../../api/websites';
import { declareForm, FormFields, valuesIn } from '../../components/declared-form';
import { Select } from '../../components/field';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { FormSection } from '../../components/page-parts';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/new');

export function NewWebsitePage() {
  const { organizationId } = route.useParams();
  const register = useRegisterWebsite();
  const navigate = route.useNavigate();
  const submit = (texts: Texts) =>
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
      <FormSection
        title="Settings"
        change={register}
        onSubmit={submit}
        submit="Create the website"
        variant="primary"
        cancel={
          <Link className="button" to="/organizations/$organizationId/websites" params={{ organizationId }}>
            Cancel
          </Link>
        }
      >
        <WebsiteFields />
        <Select
          label="Time zone"
          name="timezone"
          options={ZONES.map((zone) => [zone, zone])}
          defaultValue={OWN_ZONE}
          hint="Of its days; it cannot be changed later."
        />
      </FormSection>
    </div>
  );
}

const FORM = declareForm(
  'RegisterWebsiteDto',
  {
    name: { label: 'Name' },
    domain: { label: 'Domain', hint: 'Host name without https://. Its subdomains may send hits, too.' },
  },
  {
    visitorIdentity: {
      label: 'A visitor is recognized',
      hint: 'No cookie is set. The shorter, the less is known of a person.',
      words: { daily: 'For a day', monthly: 'For a month', stable: 'For as long as the website exists' },
    },
  },
  {
    allowedOrigins: {
      label: 'Further host names that may send hits',
      hint: 'One a line; for shops or apps at other domains.',
    },
  },
  {
    isPublic: {
      label: 'Statistics are public',
      hint: 'Everybody may ask for the public figures without signing in: no sessions, visitors or properties.',
    },
  },
);

/** What a website is created with and what is changed of it. */
export const WebsiteFields = ({ website }: { readonly website?: WebsiteDto }) => (
  <FormFields form={FORM} record={website} />
);

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Browsers leave UTC out. */
const ZONES = [...new Set(['UTC', OWN_ZONE, ...Intl.supportedValuesOf('timeZone')])].toSorted();

/** What the form says, for the api. */
export const websiteIn = (texts: Texts) => valuesIn(FORM, texts);
