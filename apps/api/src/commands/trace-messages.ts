import { currentTracer, traced } from '@ledgerline/platform/tracing/tracing';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

/** A span for each command and each query that is executed, with the name of its class. */
export function traceMessages(app: { get<T>(type: abstract new (...parts: never[]) => T): T }): void {
  if (currentTracer() === undefined) return;
  const buses: readonly Bus[] = [app.get(CommandBus), app.get(QueryBus)];
  for (const bus of buses) {
    const execute = bus.execute.bind(bus);
    bus.execute = (message: object) => traced(message.constructor.name, {}, () => execute(message));
  }
}

/** What both have. */
interface Bus {
  execute(message: object): Promise<unknown>;
}
