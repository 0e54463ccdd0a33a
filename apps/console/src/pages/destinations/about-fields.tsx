import { useQuery } from '@tanstack/react-query';
import { readableAddress } from '../../addresses/readable-address';
import { monitorsQuery } from '../../api/monitors';
import { recordsQuery } from '../../api/records';
import { websitesQuery } from '../../api/websites';
import { Checkbox, FieldGroup } from '../../components/choices';
import { Textarea } from '../../components/text-fields';
import type { MessageType } from './destination-words';

/** Ids of what messages may be about; none = all. */
export type About = Readonly<Record<'monitorIds' | 'linkIds' | 'goalIds' | 'websiteIds', readonly string[]>>;

/** What has a website. */
const OF_WEBSITES = /^(website|goal|funnel|segment|saved_view|annotation|share|flag|person|subject|erasure|hits)\./;

interface AboutFieldsProps {
  readonly organizationId: string;
  /** What is told: only these fields are shown. */
  readonly sends: readonly MessageType[];
  readonly about: About;
  readonly onChange: (about: About) => void;
}

/** Which websites, monitors, links and goals a destination is told of. */
export function AboutFields({ organizationId, sends, about, onChange }: AboutFieldsProps) {
  const tells = (pattern: RegExp) => sends.some((type) => pattern.test(type));
  const tellsGoals = tells(/^goal\.reached/);
  const { data: monitors = [] } = useQuery(monitorsQuery(organizationId));
  const { data: goals = [] } = useQuery({ ...recordsQuery('/v1/goals', { organizationId }), enabled: tellsGoals });
  const tellsWebsites = tells(OF_WEBSITES);
  const { data: websites = [] } = useQuery({ ...websitesQuery(organizationId), enabled: tellsWebsites });
  const choice = (field: 'monitorIds' | 'goalIds' | 'websiteIds', records: readonly Listed[], legend: string) => (
    <FieldGroup className="group" legend={legend} field={field}>
      <p className="hint">{records.length === 0 ? 'There are none yet.' : 'Of all, if none is chosen.'}</p>
      {records.map(({ id, name, hint }) => (
        <Checkbox
          key={id}
          label={name}
          {...(hint !== undefined && { hint })}
          checked={about[field].includes(id)}
          onChange={({ target }) =>
            onChange({
              ...about,
              [field]: target.checked ? [...about[field], id] : about[field].filter((each) => each !== id),
            })
          }
        />
      ))}
    </FieldGroup>
  );
  const known = monitors.map(({ id, name, url }) => ({ id, name, hint: readableAddress(url) }));
  return (
    <>
      {tellsWebsites && choice('websiteIds', websites, 'Only of these websites')}
      {tells(/^(monitor|incident)\./) && choice('monitorIds', known, 'Only of these monitors')}
      {tellsGoals && choice('goalIds', goals, 'Only of these goals')}
      {tells(/^link\./) && (
        <Textarea
          label="Only of these links"
          name="linkIds"
          rows={2}
          placeholder="link_…"
          hint="Ids, as the addresses of their pages have them. Of all, if it is empty."
          value={about.linkIds.join('\n')}
          onChange={({ target }) => onChange({ ...about, linkIds: target.value.split(/[\s,]/) })}
        />
      )}
    </>
  );
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly hint?: string;
}
