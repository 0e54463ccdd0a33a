import { Badge } from './badge';
import { Time } from './time';

/** When something expires, or that it has. */
export const Expiry = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <span className="soft">Never</span>;
  return new Date(at) > new Date() ? <Time at={at} /> : <Badge tone="warning">Expired</Badge>;
};
