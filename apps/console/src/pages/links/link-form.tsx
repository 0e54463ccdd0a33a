import type { LinkDto, NewLinkDto } from '@ledgerline/client';
import type { ReactNode } from 'react';
import { fieldMessage } from '../../api/failure';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { instantOf, LocalTimeInput } from '../../components/local-time-input';
import { MORE_FIELDS, MoreLinkFields } from './more-link-fields';

interface LinkFormProps {
  /** As it is; undefined for a new one. */
  readonly link?: LinkDto;
  readonly error: Error | null;
  readonly isBusy: boolean;
  /** What the button says. */
  readonly action: string;
  readonly onSlug?: (slug: string) => void;
  readonly onSubmit: (link: NewLinkDto, texts: Texts) => void;
  readonly children?: ReactNode;
}

export type Texts = Readonly<Record<string, string>>;

const FIELDS = ['targetUrl', 'name', 'slug', 'expiresAt', ...MORE_FIELDS];

/** Everything that can be set of a link; what the api refuses is shown at its field. */
export function LinkForm({ link, error, isBusy, action, onSlug, onSubmit, children }: LinkFormProps) {
  const wrong = (field: string) => fieldMessage(error, field);
  return (
    <Form onSubmit={(texts) => onSubmit(linkOf(texts), texts)} error={error} fields={FIELDS}>
      <Input
        label="Destination"
        name="targetUrl"
        inputMode="url"
        placeholder="https://example.com/spring"
        defaultValue={link?.targetUrl}
        error={wrong('targetUrl')}
      />
      <Input label="Name" name="name" hint="For lists" defaultValue={link?.name} error={wrong('name')} />
      <Input
        label="Short name"
        name="slug"
        hint={link ? 'A former short name leads nowhere.' : 'The end of the short address; random if empty.'}
        defaultValue={link?.slug}
        error={wrong('slug')}
        onChange={({ target }) => onSlug?.(target.value)}
      />
      <LocalTimeInput label="Expires" name="expiresAt" at={link?.expiresAt ?? null} error={wrong('expiresAt')} />
      <MoreLinkFields link={link} wrong={wrong} />
      {children}
      <FormActions submit={action} variant="primary" isBusy={isBusy} />
    </Form>
  );
}

/** An empty text is no value; the api says which fields need one. */
const linkOf = (texts: Texts): NewLinkDto => ({
  targetUrl: texts['targetUrl'] ?? '',
  name: texts['name'] ?? '',
  slug: texts['slug'] || null,
  expiresAt: instantOf(texts['expiresAt']),
  expiredRedirectUrl: texts['expiredRedirectUrl'] || null,
  externalId: texts['externalId'] || null,
  iosUrl: texts['iosUrl'] || null,
  androidUrl: texts['androidUrl'] || null,
  ogTitle: texts['ogTitle'] || null,
  ogDescription: texts['ogDescription'] || null,
  ogImageUrl: texts['ogImageUrl'] || null,
  forwardQuery: texts['forwardQuery'] === 'on',
});
