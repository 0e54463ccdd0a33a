import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TagDto } from '@ledgerline/client';
import { tagsQuery } from '../../api/tags';
import { ChoiceInput } from '../../components/choices';

/** A tag; its colour only repeats its name. */
export const Tag = ({ tag: { name, color } }: { readonly tag: Pick<TagDto, 'name' | 'color'> }) => (
  <span className={`tag ${color}`}>{name}</span>
);

interface OfOrganization {
  readonly organizationId: string;
  readonly tagIds: readonly string[];
}

/** The tags of a link. */
export function LinkTags({ organizationId, tagIds }: OfOrganization) {
  const { data = [] } = useQuery({ ...tagsQuery(organizationId), enabled: tagIds.length > 0 });
  const tags = data.filter(({ id }) => tagIds.includes(id));
  if (tags.length === 0) return null;
  return (
    <span className="tags">
      {tags.map((tag) => (
        <Tag key={tag.id} tag={tag} />
      ))}
    </span>
  );
}

interface TagsFieldProps extends OfOrganization {
  readonly onChange: (tagIds: readonly string[]) => void;
}

/** The choice of tags for a link. */
export function TagsField({ organizationId, tagIds, onChange }: TagsFieldProps) {
  const { data = [] } = useQuery(tagsQuery(organizationId));
  const toggle = (id: string) => onChange(tagIds.includes(id) ? tagIds.filter((each) => each !== id) : [...tagIds, id]);
  return (
    <fieldset>
      <legend>Tags</legend>
      {data.length > 0 && (
        <div className="tags">
          {data.map(({ id, name }) => (
            <ChoiceInput
              key={id}
              type="checkbox"
              label={name}
              checked={tagIds.includes(id)}
              onChange={() => toggle(id)}
            />
          ))}
        </div>
      )}
      <p className="hint">
        <Link to="/organizations/$organizationId/links/tags" params={{ organizationId }}>
          {data.length === 0 ? 'Create tags' : 'All tags'}
        </Link>
      </p>
    </fieldset>
  );
}
