import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Host } from '../../addresses/address';
import { firstEventQuery } from '../../api/first-event';
import { messageOf } from '../../api/failure';
import { Badge } from '../../components/badge';
import { CodeBlock } from '../../components/code-block';
import { Notice } from '../../components/notice';

interface FirstEventProps {
  readonly websiteId: string;
  readonly domain: string;
}

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/install');

/** Waits for the first visitor, says when one has come, and leads to where it is counted. */
export function FirstEvent({ websiteId, domain }: FirstEventProps) {
  const params = route.useParams();
  const { data: hasArrived = false, error } = useQuery(firstEventQuery(websiteId));
  return (
    <>
      <div role="status" className="first-event">
        {hasArrived ? (
          <p>
            <Badge tone="good">Works</Badge> The first event has arrived: <Host raw={domain} /> is counted.{' '}
            <Link to="/organizations/$organizationId/websites/$websiteId" params={params}>
              See it on the dashboard
            </Link>
          </p>
        ) : (
          <p>
            <span className="waiting" aria-hidden="true" /> Waiting for the first event …
          </p>
        )}
      </div>
      {error && <Notice tone="warning">{messageOf(error)} It is tried again.</Notice>}
      {!hasArrived && <Hints websiteId={websiteId} domain={domain} />}
    </>
  );
}

const Hints = ({ websiteId, domain }: FirstEventProps) => (
  <details className="more">
    <summary>Nothing arrives?</summary>
    <ul className="hints">
      <li>
        The page must be on <Host raw={domain} />, on a subdomain of it, or on an origin that the website allows.
      </li>
      <li>Browsers that ask not to be tracked (Do Not Track, Global Privacy Control) are not counted.</li>
      <li>An ad blocker may stop the script: try a window without extensions.</li>
      <li>Automated browsers and bots are recognised and not counted.</li>
    </ul>
    <p>To look around before there are visitors, let the product simulate some, in its folder:</p>
    <CodeBlock text={`npm run simulate -- --website ${websiteId}`} label="the command" />
  </details>
);
