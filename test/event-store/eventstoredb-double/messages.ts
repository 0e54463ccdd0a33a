import {
  AllStreamPosition,
  Empty,
  StreamDeleted,
  StreamIdentifier,
  Unknown,
  UUID,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb';
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import type { StoredEvent, AppendOutcome, Proposed } from './stored-log';

/** The ticks of .NET in a ms; the server counts them from 1970 on. */
const TICKS_PER_MS = 10_000n;

export const nameOf = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export function readEvent(event: StoredEvent | undefined, link?: StoredEvent): ReadResp {
  const read = new ReadResp.ReadEvent();
  if (event) read.setEvent(recorded(event));
  if (link) read.setLink(recorded(link));
  read.setCommitPosition(String((link ?? event)?.position ?? 0));
  return new ReadResp().setEvent(read);
}

export const streamNotFound = (stream: string): ReadResp =>
  new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(stream)));

export const confirmation = (): ReadResp =>
  new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId('double'));

export const checkpoint = (position: number): ReadResp =>
  new ReadResp().setCheckpoint(
    new ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
  );

export function proposed(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): Proposed {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function appendResponse(outcome: AppendOutcome): AppendResp {
  if (outcome.ok) {
    const position = new AppendResp.Position();
    position.setCommitPosition(String(outcome.last.position)).setPreparePosition(String(outcome.last.position));
    const success = new AppendResp.Success().setCurrentRevision(String(outcome.last.revision)).setPosition(position);
    return new AppendResp().setSuccess(success);
  }
  const wrong = new AppendResp.WrongExpectedVersion();
  if (outcome.actual < 0) wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(String(outcome.actual));
  if (outcome.expected < 0) wrong.setExpectedNoStream(new Empty());
  else wrong.setExpectedRevision(String(outcome.expected));
  return new AppendResp().setWrongExpectedVersion(wrong);
}

/** The answer to one append of a stream of them; undefined = it failed for another reason than its revision. */
export function batchResponse(request: BatchAppendReq, outcome: AppendResp | undefined): BatchAppendResp {
  const response = batchAnswer(request);
  const success = outcome?.getSuccess();
  if (success) {
    const at = success.getPosition()?.getCommitPosition() ?? '';
    const position = new AllStreamPosition().setCommitPosition(at).setPreparePosition(at);
    const result = new BatchAppendResp.Success().setCurrentRevision(success.getCurrentRevision());
    return response.setSuccess(result.setPosition(position));
  }
  return response.setError(new Status().setMessage('a fault of the double').setDetails(detailsOf(outcome)));
}

export function batchStreamDeleted(request: BatchAppendReq): BatchAppendResp {
  const deleted = new StreamDeleted().setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
  const details = new Any();
  details.pack(deleted.serializeBinary(), 'event_store.client.StreamDeleted');
  return batchAnswer(request).setError(new Status().setMessage('StreamDeleted').setDetails(details));
}

const batchAnswer = (request: BatchAppendReq): BatchAppendResp =>
  new BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(request.getOptions()?.getStreamIdentifier());

function detailsOf(outcome: AppendResp | undefined): Any {
  const details = new Any();
  const wrong = outcome?.getWrongExpectedVersion();
  if (!wrong) {
    details.pack(new Unknown().serializeBinary(), 'event_store.client.Unknown');
    return details;
  }
  const packed = new WrongExpectedVersion();
  if (wrong.hasCurrentRevision()) packed.setCurrentStreamRevision(wrong.getCurrentRevision());
  else packed.setCurrentNoStream(new Empty());
  details.pack(packed.serializeBinary(), 'event_store.client.WrongExpectedVersion');
  return details;
}

/** As the server answers about a stream that has a tombstone. */
export function streamDeleted(stream: string): Partial<ServiceError> {
  const metadata = new Metadata();
  metadata.set('exception', 'stream-deleted');
  metadata.set('stream-name', stream);
  const details = `Event stream '${stream}' is deleted.`;
  return { name: 'stream-deleted', message: details, code: status.FAILED_PRECONDITION, details, metadata };
}

/** As the server answers to a read of `$all` from within an event, such as from a position of another log. */
export const noPosition: Partial<ServiceError> = {
  code: status.UNKNOWN,
  details: 'Unexpected ReadAllResult: Error',
};

function recorded({ id, stream, revision, position, created, type, contentType, data, metadata }: StoredEvent) {
  const event = new ReadResp.ReadEvent.RecordedEvent();
  const number = revision === Infinity ? '9223372036854775807' : String(revision);
  event.setId(new UUID().setString(id)).setStreamIdentifier(identifierOf(stream)).setStreamRevision(number);
  event
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setData(data)
    .setCustomMetadata(metadata);
  event
    .getMetadataMap()
    .set('type', type)
    .set('content-type', contentType)
    .set('created', String(BigInt(created.getTime()) * TICKS_PER_MS));
  return event;
}

const identifierOf = (stream: string): StreamIdentifier =>
  new StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));

/** From where a read begins; undefined = its end of the stream. */
export function fromOf(options: ReadReq.Options): number | undefined {
  const stream = options.getStream();
  const all = options.getAll();
  if (stream?.hasRevision()) return Number(stream.getRevision());
  if (all?.hasPosition()) return Number(all.getPosition()?.getCommitPosition());
  return undefined;
}
