interface SkeletonProps {
  readonly lines: number;
  /** What is loading, for screen readers. */
  readonly label: string;
}

/** In the place of content that is loading. */
export const Skeleton = ({ lines, label }: SkeletonProps) => (
  <div className="skeleton" role="status">
    <span className="visually-hidden">Loading {label} …</span>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} aria-hidden="true" />
    ))}
  </div>
);
