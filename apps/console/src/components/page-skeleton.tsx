import { Skeleton } from './skeleton';

/** In the place of a page whose code or data is loading. */
export const PageSkeleton = () => (
  <div className="page">
    <Skeleton lines={6} label="the page" />
  </div>
);
