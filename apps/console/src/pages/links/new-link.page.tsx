import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Address } from '../../addresses/address';
import { readableAddress } from '../../addresses/readable-host';
import { useCreateLink } from '../../api/links';
import { trackingHostQuery } from '../../api/tracking-host';
import { PageHeader } from '../../components/page-header';
import { notify } from '../../components/toasts';
import { LinkForm } from './link-form';
import { QrCode } from './qr-code';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/new');

export function NewLinkPage() {
  const { organizationId } = route.useParams();
  const navigate = route.useNavigate();
  const createLink = useCreateLink(organizationId);
  const [slug, setSlug] = useState('');
  return (
    <div className="page">
      <PageHeader title="New link" description="A short address that leads to a longer one and counts who follows it" />
      <div className="beside">
        <LinkForm
          action="Create link"
          error={createLink.error}
          isBusy={createLink.isPending}
          onSlug={setSlug}
          onSubmit={(link) =>
            createLink.mutate(link, {
              onSuccess: ({ id, shortUrl }) => {
                notify(`Created ${readableAddress(shortUrl)}`);
                void navigate({
                  to: '/organizations/$organizationId/links/$linkId',
                  params: { organizationId, linkId: id },
                });
              },
            })
          }
        />
        <Preview slug={slug.trim()} />
      </div>
    </div>
  );
}

/** As it will be, if the short name is free. */
function Preview({ slug }: { readonly slug: string }) {
  const { data: host } = useSuspenseQuery(trackingHostQuery);
  const isName = /^[\w-]{1,50}$/.test(slug);
  return (
    <aside className="panel" aria-label="Preview">
      <h2>Preview</h2>
      <p className="short-address">
        <Address raw={host} />/<strong>{isName ? slug : '…'}</strong>
      </p>
      {isName ? (
        <QrCode text={`${host}/${slug}`} />
      ) : (
        <p className="soft">Its QR code is shown for a short name of 1 to 50 letters, digits, _ and -.</p>
      )}
    </aside>
  );
}
