/** The first letter of a website's name, beside it. */
export const WebsiteMark = ({ name }: { readonly name: string }) => (
  <span className="mark letter" data-letter={/[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()} aria-hidden="true" />
);
