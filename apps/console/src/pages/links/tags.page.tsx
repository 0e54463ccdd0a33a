import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Tags } from 'lucide';
import type { CreateTagDto, TagDto } from '@ledgerline/client';
import { useCreateRecord, useUpdateRecord } from '../../api/record-changes';
import { tagsQuery } from '../../api/tags';
import { declareForm, FormFields, valuesIn } from '../../components/declared-form';
import { DeleteButton } from '../../components/delete-button';
import { PageHeader } from '../../components/page';
import { FormSection } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { Table } from '../../components/table';
import { notify } from '../../components/toasts';
import { Answered } from '../website/lists/answer';
import { Tag } from './link-tags';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/tags');
const TAGS = '/organizations/$organizationId/links/tags';

/** The tags of an organization, and the form of a new one or of the one that is changed. */
export function TagsPage() {
  const { organizationId } = route.useParams();
  const { edit } = route.useSearch();
  const tags = useQuery(tagsQuery(organizationId));
  return (
    <div className="page">
      <PageHeader
        title="Tags"
        description="Group links, and filter by them"
        actions={
          <Link className="button" to="/organizations/$organizationId/links" params={{ organizationId }}>
            Links
          </Link>
        }
      />
      <Answered query={tags} label="the tags" lines={4}>
        {(known) => {
          const edited = known.find(({ id }) => id === edit);
          return (
            <div className="stack">
              {known.length === 0 ? (
                <EmptyState title="No tags yet" icon={Tags}>
                  <p>A campaign, a team, a channel: a link may have several.</p>
                </EmptyState>
              ) : (
                <TagTable tags={known} organizationId={organizationId} />
              )}
              <TagForm key={edited?.revision ?? known.length} organizationId={organizationId} tag={edited} />
            </div>
          );
        }}
      </Answered>
    </div>
  );
}

interface TagTableProps {
  readonly tags: readonly TagDto[];
  readonly organizationId: string;
}

const TagTable = ({ tags, organizationId }: TagTableProps) => (
  <Table
    caption="Tags"
    columns={[
      { header: 'Tag', cell: (tag) => <Tag tag={tag} /> },
      {
        header: 'Links',
        cell: ({ id, name }) => (
          <Link
            to="/organizations/$organizationId/links"
            params={{ organizationId }}
            search={{ tagId: id }}
            aria-label={`Show the links with ${name}`}
          >
            Show
          </Link>
        ),
      },
      {
        header: 'Change',
        cell: (tag) => (
          <span className="actions">
            <Link
              className="button"
              to={TAGS}
              params={{ organizationId }}
              search={{ edit: tag.id }}
              aria-label={`Edit ${tag.name}`}
            >
              Edit
            </Link>
            <DeleteTag tag={tag} />
          </span>
        ),
      },
    ]}
    rows={tags}
    keyOf={({ id }) => id}
  />
);

const DeleteTag = ({ tag }: { readonly tag: TagDto }) => (
  <DeleteButton path="/v1/tags" record={tag} aria-label={`Delete ${tag.name}`} action="Delete tag">
    <p>Its links stay, without it.</p>
  </DeleteButton>
);

const COLORS = {
  gray: 'Gray',
  red: 'Red',
  orange: 'Orange',
  yellow: 'Yellow',
  green: 'Green',
  teal: 'Teal',
  blue: 'Blue',
  purple: 'Purple',
  pink: 'Pink',
} satisfies Record<NonNullable<CreateTagDto['color']>, string>;

const FORM = declareForm('CreateTagDto', { name: { label: 'Name' }, color: { label: 'Colour', words: COLORS } });

interface TagFormProps {
  readonly organizationId: string;
  /** Undefined for a new one. */
  readonly tag: TagDto | undefined;
}

function TagForm({ organizationId, tag }: TagFormProps) {
  const creation = useCreateRecord('/v1/tags');
  const change = useUpdateRecord('/v1/tags', tag?.id ?? '');
  const navigate = route.useNavigate();
  const saved = {
    onSuccess: ({ name }: TagDto) => {
      notify(tag ? `Saved ${name}` : `Created ${name}`);
      void navigate({ to: TAGS, params: { organizationId }, search: {} });
    },
  };
  return (
    <FormSection
      title={tag ? `Edit ${tag.name}` : 'New tag'}
      variant="primary"
      change={tag ? change : creation}
      submit={tag ? 'Save' : 'Create tag'}
      onSubmit={(texts) => {
        const body = valuesIn(FORM, texts);
        if (tag) change.mutate(body, saved);
        else creation.mutate({ organizationId, ...body }, saved);
      }}
    >
      <FormFields form={FORM} record={tag} />
    </FormSection>
  );
}
