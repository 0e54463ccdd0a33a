import { getSchemaPath } from '@nestjs/swagger';
import { ErasurePreviewDto, isVisitor, VisitorSubjectDto, wantedVisitor } from '../../audit/erasures/erasure.dto';
import { PreviewErasure } from '../../audit/erasures/preview-erasure.query';
import { RequestErasure } from '../../audit/erasures/request-erasure.command';
import { invalid } from '../../http/problems';
import { object, text, yes } from '../../http/record.dto';
import { Confirm, PREVIEW } from '../changes';
import { callerOrganization, PREVIEWED, tool } from '../tool';

class EraseVisitorInput extends VisitorSubjectDto {
  @Confirm()
  confirm?: boolean;
}

export const eraseVisitor = tool({
  name: 'erase_visitor',
  title: 'Erase a visitor',
  description:
    'Takes the visits of one visitor of `websiteId` out of every figure for ever, also of the past: by `visitorId`, ' +
    `\`anonymousId\` or \`profileId\`. For owners who signed in; it cannot be undone. ${PREVIEWED}`,
  action: 'erasures:request',
  effect: 'delete',
  input: EraseVisitorInput,
  output: object({
    done: { ...yes, description: 'False = this is a preview, and nothing was changed' },
    found: { $ref: getSchemaPath(ErasurePreviewDto) },
    erasureId: { type: ['string', 'null'], description: 'The audit log and the console name it by this id' },
    note: text,
  }),
  answer: async ({ confirm = false, ...subject }, { caller, command, commands, queries }) => {
    if (!isVisitor(subject))
      throw invalid([{ field: 'visitorId', message: 'Name one of visitorId, anonymousId and profileId.' }]);
    const wanted = { organizationId: callerOrganization(caller), subject: wantedVisitor(subject) };
    const found = await queries.execute(new PreviewErasure(wanted, caller));
    if (!confirm) return { ...PREVIEW, found, erasureId: null };
    const { entry } = await commands.execute(new RequestErasure(wanted, command));
    return { done: true, found, erasureId: entry, note: 'The visitor is being taken out of every figure.' };
  },
});
