import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { LinkDto } from '@ledgerline/client';
import { ReadableAddress } from '../../addresses/address';
import { linkQuery } from '../../api/links';
import { CopyButton } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import { PageHeader } from '../../components/page';
import { Expiry, DescriptionList, Time } from '../../components/page-parts';
import { notify } from '../../components/toasts';
import { LinkClicks } from './link-clicks';
import { LinkTags } from './link-tags';
import { QrDownload } from './qr-code';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/$linkId');

/** One short link with its clicks. */
export function LinkPage() {
  const { organizationId, linkId } = route.useParams();
  const { data: link } = useSuspenseQuery(linkQuery(linkId));
  return (
    <div className="page">
      <PageHeader
        title={link.name}
        description={
          <span className="with-copy">
            <ReadableAddress className="short-address" raw={link.shortUrl} />
            <CopyButton text={link.shortUrl} label={link.shortUrl} />
          </span>
        }
        actions={
          <>
            <Link
              className="button"
              to="/organizations/$organizationId/links/$linkId/edit"
              params={{ organizationId, linkId }}
            >
              Edit
            </Link>
            <Link
              className="button"
              to="/organizations/$organizationId/links/new"
              params={{ organizationId }}
              search={{ from: linkId }}
            >
              Duplicate
            </Link>
            <LinkDeletion link={link} />
          </>
        }
      />
      <div className="beside">
        <LinkClicks link={link} />
        <aside className="panel" aria-label="The link">
          <QrDownload text={link.shortUrl} name={link.slug} />
          <LinkFacts link={link} />
        </aside>
      </div>
    </div>
  );
}

function LinkDeletion({ link }: { readonly link: LinkDto }) {
  const navigate = route.useNavigate();
  const leave = () => {
    notify(`Deleted ${link.name}`);
    void navigate({ to: '/organizations/$organizationId/links' });
  };
  return (
    <DeleteButton path="/v1/links" record={link} action="Delete link" onDeleted={leave}>
      <p>
        <ReadableAddress raw={link.shortUrl} /> leads nowhere from then on, and its short name is never used again. This
        cannot be undone. Set an expiry instead to end it with another destination.
      </p>
    </DeleteButton>
  );
}

/** Shows what is set of a link; visitors choose nothing of it, but colleagues do: addresses are texts. */
const LinkFacts = ({ link }: { readonly link: LinkDto }) => (
  <DescriptionList
    facts={[
      [
        'Destination',
        <a href={link.targetUrl} rel="noreferrer">
          <ReadableAddress raw={link.targetUrl} />
        </a>,
      ],
      ['Expires', <Expiry at={link.expiresAt} />],
      ['After it expired', address(link.expiredRedirectUrl)],
      ['External id', link.externalId],
      ['Tags', link.tagIds.length > 0 ? <LinkTags organizationId={link.organizationId} tagIds={link.tagIds} /> : null],
      ['On iOS', address(link.iosUrl)],
      ['On Android', address(link.androidUrl)],
      ['Preview title', link.ogTitle],
      ['Preview text', link.ogDescription],
      ['Preview image', address(link.ogImageUrl)],
      ['Query string', link.forwardQuery ? 'Forwarded' : 'Not forwarded'],
      ['Visits of own websites', link.trackVisits ? 'Joined to clicks' : 'Not joined to clicks'],
      ['Created', <Time at={link.createdAt} />],
      ['Changed', <Time at={link.updatedAt} />],
    ]}
  />
);

const address = (raw: string | null) => (raw === null ? null : <ReadableAddress raw={raw} />);
