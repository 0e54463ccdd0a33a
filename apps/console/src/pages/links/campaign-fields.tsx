import { useQuery } from '@tanstack/react-query';
import { campaignLinksQuery } from '../../api/links';
import { Input } from '../../components/field';
import {
  CAMPAIGN,
  type Campaign,
  campaignsIn,
  parameterIn,
  withCampaign,
  withParameter,
  withScheme,
} from './link-address';

interface CampaignFieldsProps {
  readonly organizationId: string;
  readonly target: string;
  readonly onChange: (target: string) => void;
}

/** The parameters of a campaign, which are a part of the destination; those of other links are set by a click. */
export const CampaignFields = ({ organizationId, target, onChange }: CampaignFieldsProps) => (
  <details className="more">
    <summary>Campaign (UTM parameters)</summary>
    <UsedCampaigns
      organizationId={organizationId}
      onChoose={(used) => onChange(withCampaign(withScheme(target), used))}
    />
    <div className="form-row">
      {CAMPAIGN.map(([name, label, hint]) => (
        <Input
          key={name}
          label={label}
          hint={hint}
          autoComplete="off"
          value={parameterIn(target, name)}
          onChange={(event) => onChange(withParameter(withScheme(target), name, event.target.value))}
        />
      ))}
    </div>
  </details>
);

interface UsedCampaignsProps {
  readonly organizationId: string;
  readonly onChoose: (campaign: Campaign) => void;
}

/** The campaigns of the newest links that have one: what an organization uses is its template. */
function UsedCampaigns({ organizationId, onChoose }: UsedCampaignsProps) {
  const { data: links = [] } = useQuery(campaignLinksQuery(organizationId));
  const used = campaignsIn(links.map(({ targetUrl }) => targetUrl));
  if (used.length === 0) return null;
  return (
    <ul className="chips" aria-label="Campaigns of other links">
      {used.slice(0, SHOWN_CAMPAIGNS).map((campaign) => {
        const text = campaign.map(([, value]) => value).join(' / ');
        return (
          <li key={text} className="chip">
            <button type="button" title="Use the campaign of another link" onClick={() => onChoose(campaign)}>
              <bdi>{text}</bdi>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const SHOWN_CAMPAIGNS = 8;
