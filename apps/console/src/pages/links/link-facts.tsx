import type { LinkDto } from '@ledgerline/client';
import { Expiry } from '../../components/expiry';
import { Facts } from '../../components/facts';
import { Time } from '../../components/time';

/** What is set of a link; visitors choose nothing of it, but colleagues do: addresses are texts. */
export const LinkFacts = ({ link }: { readonly link: LinkDto }) => (
  <Facts
    facts={[
      [
        'Destination',
        <a href={link.targetUrl} rel="noreferrer">
          {link.targetUrl}
        </a>,
      ],
      ['Expires', <Expiry at={link.expiresAt} />],
      ['After it expired', link.expiredRedirectUrl],
      ['External id', link.externalId],
      ['On iOS', link.iosUrl],
      ['On Android', link.androidUrl],
      ['Preview title', link.ogTitle],
      ['Preview text', link.ogDescription],
      ['Preview image', link.ogImageUrl],
      ['Query string', link.forwardQuery ? 'Forwarded' : 'Not forwarded'],
      ['Created', <Time at={link.createdAt} />],
      ['Changed', <Time at={link.updatedAt} />],
    ]}
  />
);
