/** In the place of a list that is empty. */
export const NoRows = ({ isEnd = false, notes }: { readonly isEnd?: boolean; readonly notes: readonly string[] }) => (
  <div className="no-rows">
    <p>{isEnd ? 'The list ends before this page.' : 'Nothing in this range.'}</p>
    {notes
      .filter((note) => note.includes('filter') || note.startsWith('Nothing'))
      .map((note) => (
        <p key={note} className="soft">
          {note}
        </p>
      ))}
  </div>
);
