import type { WebsiteDto } from '@ledgerline/client';
import { fieldMessage } from '../../api/failure';
import { Checkbox } from '../../components/checkbox';
import { Input } from '../../components/input';
import { Select } from '../../components/select';
import { Textarea } from '../../components/textarea';

type Identity = WebsiteDto['visitorIdentity'];

const IDENTITIES: readonly (readonly [Identity, string])[] = [
  ['daily', 'For a day'],
  ['monthly', 'For a month'],
  ['stable', 'For as long as the website exists'],
];

/** The fields that show what is wrong with them. */
export const WEBSITE_FIELDS = ['name', 'domain', 'timezone', 'visitorIdentity', 'allowedOrigins', 'retentionDays'];

interface WebsiteFieldsProps {
  readonly website?: WebsiteDto;
  readonly error: Error | null;
}

/** What a website is created with and what is changed of it. */
export const WebsiteFields = ({ website, error }: WebsiteFieldsProps) => (
  <>
    <div className="form-row">
      <Input label="Name" name="name" defaultValue={website?.name} required error={fieldMessage(error, 'name')} />
      <Input
        label="Domain"
        name="domain"
        defaultValue={website?.domain}
        required
        hint="Host name without https://. Its subdomains may send hits, too."
        error={fieldMessage(error, 'domain')}
      />
    </div>
    <div className="form-row">
      <Select
        label="A visitor is recognized"
        name="visitorIdentity"
        options={IDENTITIES}
        defaultValue={website?.visitorIdentity}
        hint="No cookie is set. The shorter, the less is known of a person."
        error={fieldMessage(error, 'visitorIdentity')}
      />
      {!website && (
        <Select
          label="Time zone"
          name="timezone"
          options={ZONES.map((zone) => [zone, zone])}
          defaultValue={OWN_ZONE}
          hint="Of its days; it cannot be changed later."
          error={fieldMessage(error, 'timezone')}
        />
      )}
    </div>
    <Textarea
      label="Further host names that may send hits"
      name="allowedOrigins"
      defaultValue={website?.allowedOrigins.join('\n')}
      hint="One a line; for shops or apps at other domains."
      error={fieldMessage(error, 'allowedOrigins')}
    />
    <Checkbox
      label="Statistics are public"
      name="isPublic"
      defaultChecked={website?.isPublic ?? false}
      hint="Everybody may ask for the public figures without signing in: no sessions, visitors or properties."
    />
  </>
);

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Browsers leave UTC out. */
const ZONES = [...new Set(['UTC', OWN_ZONE, ...Intl.supportedValuesOf('timeZone')])].toSorted();

/** What the form says, for the api. */
export const websiteIn = (texts: Readonly<Record<string, string>>) => ({
  name: texts['name'] ?? '',
  domain: texts['domain'] ?? '',
  visitorIdentity: IDENTITIES.find(([each]) => each === texts['visitorIdentity'])?.[0] ?? null,
  allowedOrigins: (texts['allowedOrigins'] ?? '').split(/[\s,]+/).filter(Boolean),
  isPublic: texts['isPublic'] !== undefined,
});
