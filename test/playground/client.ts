import {
  Client,
  type ClientOptions,
  Events,
  GatewayIntentBits,
  type TextChannel,
} from "discord.js";
import type { Loopback } from "../../src/playground/server.js";

export const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildWebhooks,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.GuildMessageTyping,
  GatewayIntentBits.MessageContent,
] as const;

/** The real client, not yet logged in. */
export function createClient(loopback: Loopback, options: Partial<ClientOptions> = {}): Client {
  const client = new Client({
    intents: [...INTENTS],
    rest: { api: loopback.apiUrl, retries: 0 },
    ...options,
  });
  // Without a listener an error would end the process instead of the test.
  client.on(Events.Error, () => undefined);
  return client;
}

/** The real client, ready. */
export async function login(
  loopback: Loopback,
  options: Partial<ClientOptions> = {},
): Promise<Client<true>> {
  const client = createClient(loopback, options);
  const ready = new Promise<Client<true>>((resolve) => {
    client.once(Events.ClientReady, resolve);
  });
  await client.login(loopback.token);
  return ready;
}

export async function textChannel(client: Client, channelId: string): Promise<TextChannel> {
  const channel = await client.channels.fetch(channelId);
  if (!channel?.isTextBased() || channel.isDMBased() || channel.isThread()) {
    throw new Error(`${channelId} is no text channel`);
  }
  return channel as TextChannel;
}
