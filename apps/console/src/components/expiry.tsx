import { Badge } from './badge';
import { Time } from './time';

/** When something expires, or that it has; `isDay` as of `Time`. */
export const Expiry = ({ at, isDay = false }: { readonly at: string | null; readonly isDay?: boolean }) => {
  if (at === null) return <span className="soft">Never</span>;
  return new Date(at) > new Date() ? <Time at={at} isDay={isDay} /> : <Badge tone="warning">Expired</Badge>;
};
