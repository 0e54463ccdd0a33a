import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Host } from '../../../addresses/address';
import { trackingHostQuery } from '../../../api/websites';
import { EmptyState } from '../../../components/states';
import { installGuides } from '../install-guides';
import type { useView } from '../view/use-view';

interface NoVisitorsProps {
  readonly view: ReturnType<typeof useView>;
}

/** In the place of all figures. */
export function NoVisitorsYet({ view: { organizationId, websiteId, website } }: NoVisitorsProps) {
  const { data: host = '…' } = useQuery(trackingHostQuery);
  const [guide] = installGuides({ host, id: websiteId, keepsId: website.visitorIdentity !== 'daily' });
  return (
    <EmptyState title="No visitors yet">
      <p>
        Put this line into every page of <Host raw={website.domain} />; the first visit is shown here within seconds.{' '}
        <Link to="/organizations/$organizationId/websites/$websiteId/install" params={{ organizationId, websiteId }}>
          How to install it
        </Link>
      </p>
      <pre className="snippet" tabIndex={0} aria-label="The script element">
        <code>{guide.code}</code>
      </pre>
      <p>Or have visitors made for a try:</p>
      <pre className="snippet" tabIndex={0} aria-label="The command">
        <code>{`npm run simulate -- --website ${websiteId}`}</code>
      </pre>
    </EmptyState>
  );
}
