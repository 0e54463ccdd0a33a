import { readableHost } from '../../addresses/readable-host';

interface TopListProps {
  readonly title: string;
  readonly entry: {
    readonly success: boolean;
    readonly error?: string;
    readonly data: readonly { readonly name: string; readonly clicks: number }[];
  };
}

/** The first values of one attribute. */
export const TopList = ({ title, entry: { success, error, data } }: TopListProps) => (
  <section className="panel" aria-label={title}>
    <h2>{title}</h2>
    {!success && <p className="field-error">{error}</p>}
    {success && data.length === 0 && <p className="soft small">No clicks in this range</p>}
    <ol className="top-list">
      {data.map(({ name, clicks }, at) => (
        <li key={at}>
          <span title={name}>{readableHost(name)}</span>
          <span>{clicks.toLocaleString('en')}</span>
        </li>
      ))}
    </ol>
  </section>
);
