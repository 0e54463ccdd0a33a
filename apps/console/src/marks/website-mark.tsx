import { useState } from 'react';

interface WebsiteMarkProps {
  readonly website: { readonly id: string; readonly name: string };
}

/** The icon of a website, as the api keeps it, or the first letter of its name. */
export function WebsiteMark({ website: { id, name } }: WebsiteMarkProps) {
  const [drawn, setDrawn] = useState<string>();
  const isDrawn = drawn === id;
  return (
    <span
      className={isDrawn ? 'mark own' : 'mark letter'}
      data-letter={isDrawn ? undefined : /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()}
      aria-hidden="true"
    >
      <img src={`/v1/websites/${encodeURIComponent(id)}/icon`} alt="" loading="lazy" onLoad={() => setDrawn(id)} />
    </span>
  );
}
