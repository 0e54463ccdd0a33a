const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the time zone of the browser; pointing at it shows it in UTC. */
export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {FORMAT.format(new Date(at))}
  </time>
);
