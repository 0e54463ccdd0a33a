import type { LinkDto } from '@ledgerline/client';
import { Checkbox } from '../../components/checkbox';
import { Input } from '../../components/input';
import { Textarea } from '../../components/textarea';

interface MoreLinkFieldsProps {
  readonly link: LinkDto | undefined;
  readonly wrong: (field: string) => string | undefined;
}

const FIELDS = [
  ['externalId', 'External id', 'Of a campaign or partner, to find its links by'],
  ['expiredRedirectUrl', 'Destination after it expired', 'Without one, visitors are told that it expired'],
  ['iosUrl', 'Destination on iOS', undefined],
  ['androidUrl', 'Destination on Android', undefined],
  ['ogTitle', 'Title of the social preview', undefined],
  ['ogImageUrl', 'Image of the social preview', undefined],
] as const;

/** The fields that show what is wrong with them. */
export const MORE_FIELDS = [...FIELDS.map(([name]) => name), 'ogDescription'] as const;

/** What most links do not need; open where something of it is set or wrong. */
export function MoreLinkFields({ link, wrong }: MoreLinkFieldsProps) {
  const isUsed =
    MORE_FIELDS.some((name) => link?.[name] != null || wrong(name) !== undefined) || link?.forwardQuery === false;
  return (
    <details className="more" open={isUsed || undefined}>
      <summary>External id, other destinations, social preview, query string</summary>
      <div className="form">
        {FIELDS.map(([name, label, hint]) => (
          <Input
            key={name}
            label={label}
            name={name}
            {...(hint === undefined ? {} : { hint })}
            defaultValue={link?.[name] ?? ''}
            error={wrong(name)}
          />
        ))}
        <Checkbox
          label="Forward the query string"
          hint="Parameters of the short address, but those that the destination has itself"
          name="forwardQuery"
          defaultChecked={link?.forwardQuery ?? true}
        />
        <Textarea
          label="Text of the social preview"
          name="ogDescription"
          rows={3}
          defaultValue={link?.ogDescription ?? ''}
          error={wrong('ogDescription')}
        />
      </div>
    </details>
  );
}
