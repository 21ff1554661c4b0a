import { GatewayDispatchEvents, SimpleShardingStrategy, type WebSocketOptions } from "discord.js";
import type { Log } from "../../ports/system.js";
import type { ChannelFirst, Dispatched } from "./channelFirst.js";

type Strategy = NonNullable<WebSocketOptions["buildStrategy"]>;

/**
 * The library's usual strategy, over a manager that survives an event that the library cannot read:
 * it would throw where nothing catches, and a single one would end the process. The event is logged
 * and passed over; everything else that is thrown there is thrown on. What is about messages comes
 * after their channel. `onHandle` is told of each event right before the library handles it.
 */
export function survivingStrategy(
  log: Log,
  channelFirst: ChannelFirst,
  onHandle: (event: Dispatched) => void,
): Strategy {
  return (manager) => {
    const emit: (event: string, ...args: unknown[]) => boolean = manager.emit.bind(manager);
    manager.emit = (event: string, ...args: unknown[]) => {
      if (event !== DISPATCH) return emit(event, ...args);
      const { t, d } = dispatched(args[0]);
      channelFirst.pass({ t, d }, () => {
        try {
          const isReadable = (typeof d === "object" && d !== null) || WITHOUT_DATA.has(t);
          if (!isReadable) throw new TypeError("The event has no data.");
          onHandle({ t, d });
          emit(event, ...args);
        } catch (error) {
          log.error({ err: error, event: t }, "an event of Discord could not be read");
        }
      });
      return true;
    };
    return new SimpleShardingStrategy(manager);
  };
}

/** Of `@discordjs/ws`, whose names for its events are not in discord.js. */
const DISPATCH = "dispatch";
const WITHOUT_DATA: ReadonlySet<unknown> = new Set([GatewayDispatchEvents.Resumed]);

function dispatched(payload: unknown): Dispatched {
  const { data } = payload as { readonly data?: unknown };
  return typeof data === "object" && data !== null ? data : {};
}
