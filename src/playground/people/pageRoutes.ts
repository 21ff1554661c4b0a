import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { ApiError } from "../errors.js";
import type {
  PlaygroundChannel,
  PlaygroundChoices,
  PlaygroundCommand,
  PlaygroundError,
  PlaygroundEvent,
  PlaygroundInteraction,
  PlaygroundMessage,
  PlaygroundState,
} from "../peopleApi.js";
import { commandsIn } from "../rest/commands.js";
import { messagesIn } from "../world/messages.js";
import { requireInChannel } from "../world/permissions.js";
import { isSnowflake } from "../world/snowflakes.js";
import type { World } from "../world/world.js";
import { mayUseCommand } from "./commandData.js";
import { pageEvent } from "./pageEvents.js";
import { optionalText, readPageRequest, text, values } from "./pageForms.js";
import { isVisibleTo, pageChannel, pageInteraction, pageMessage, pageState } from "./pageViews.js";
import type { People } from "./people.js";
import { PersonError } from "./personError.js";
import type { PersonInteraction } from "./personInteraction.js";

const KEEP_ALIVE_MS = 15_000;
const PAGE_LENGTH = 50;

/** The HTTP interface that `peopleApi.ts` describes. */
export function pageRoutes(world: World, people: People): Hono {
  const app = new Hono();

  app.get("/state", (c) => c.json(pageState(world) satisfies PlaygroundState));

  app.get("/channels/:channel/messages", (c) => {
    const channel = world.anyChannel(c.req.param("channel"));
    const userId = userOf(c);
    requireInChannel(world, channel, userId);
    const before = c.req.query("before");
    if (before !== undefined && !isSnowflake(before)) throw new PersonError("before is no id.");
    const limit = Math.min(Number(c.req.query("limit") ?? PAGE_LENGTH) || PAGE_LENGTH, 200);
    const visible = [...messagesIn(world, channel.id).values()].filter(
      (message) =>
        isVisibleTo(world, message, userId) &&
        (before === undefined || BigInt(message.id) < BigInt(before)),
    );
    return c.json(
      visible
        .slice(-limit)
        .map((message) => pageMessage(world, message)) satisfies PlaygroundMessage[],
    );
  });

  app.post("/channels/:channel/messages", async (c) => {
    const { json, files } = await readPageRequest(c);
    const channelId = c.req.param("channel");
    const replyTo = optionalText(json, "replyTo");
    const posted = people.post(text(json, "user"), channelId, text(json, "content"), {
      files: files.map(({ file }) => file),
      ...(replyTo === undefined ? {} : { replyTo }),
    });
    return c.json(pageMessage(world, world.message(channelId, posted.id)));
  });

  app.patch("/channels/:channel/messages/:message", async (c) => {
    const { json } = await readPageRequest(c);
    const { channel, message } = c.req.param();
    people.edit(text(json, "user"), channel, message, text(json, "content"));
    return c.json(pageMessage(world, world.message(channel, message)));
  });

  app.delete("/channels/:channel/messages/:message", (c) => {
    people.remove(userOf(c), c.req.param("channel"), c.req.param("message"));
    return c.body(null, 204);
  });

  app.put("/channels/:channel/messages/:message/reactions/:emoji", (c) => {
    const { channel, message, emoji } = c.req.param();
    people.react(userOf(c), channel, message, emoji);
    return c.body(null, 204);
  });

  app.delete("/channels/:channel/messages/:message/reactions/:emoji", (c) => {
    const { channel, message, emoji } = c.req.param();
    people.unreact(userOf(c), channel, message, emoji);
    return c.body(null, 204);
  });

  app.post("/channels/:channel/threads", async (c) => {
    const { json } = await readPageRequest(c);
    const thread = people.createThread(
      text(json, "user"),
      c.req.param("channel"),
      text(json, "name"),
      optionalText(json, "message"),
    );
    return c.json(pageChannel(thread) satisfies PlaygroundChannel);
  });

  app.delete("/channels/:channel", (c) => {
    people.deleteChannel(userOf(c), c.req.param("channel"));
    return c.body(null, 204);
  });

  app.post("/channels/:channel/typing", async (c) => {
    const { json } = await readPageRequest(c);
    people.type(text(json, "user"), c.req.param("channel"));
    return c.body(null, 204);
  });

  app.get("/guilds/:guild/commands", (c) => {
    const guild = world.guild(c.req.param("guild"));
    const userId = userOf(c);
    const channelId = c.req.query("channel");
    const channel =
      channelId === undefined ? world.channelsOf(guild.id)[0] : world.anyChannel(channelId);
    const own = commandsIn(world, guild.id);
    const global = commandsIn(world, undefined).filter(
      (command) => !own.some((other) => other.name === command.name && other.type === command.type),
    );
    const usable = [...own, ...global].filter(
      (command) => channel !== undefined && mayUseCommand(world, command, channel, userId),
    );
    const shown = usable.map((command) => ({
      id: command.id,
      name: command.name,
      description: command.description,
      type: command.type,
      options: command.options ?? [],
    }));
    return c.json(shown satisfies PlaygroundCommand[]);
  });

  app.post("/interactions/command", async (c) => {
    const { json, files } = await readPageRequest(c);
    const [userId, channelId, path] = [
      text(json, "user"),
      text(json, "channel"),
      text(json, "command"),
    ];
    const target = optionalText(json, "targetMessage");
    if (target !== undefined) return answered(c, people.menu(userId, channelId, path, target));
    const attached = Object.fromEntries(files.map(({ field, file }) => [field, file]));
    const options = { ...values(json, "options"), ...attached };
    return answered(c, people.command(userId, channelId, path, options));
  });

  app.post("/interactions/autocomplete", async (c) => {
    const { json } = await readPageRequest(c);
    const choices = await people.autocomplete(
      text(json, "user"),
      text(json, "channel"),
      text(json, "command"),
      text(json, "focused"),
      values(json, "options"),
    );
    return c.json({ choices } satisfies PlaygroundChoices);
  });

  app.post("/interactions/component", async (c) => {
    const { json } = await readPageRequest(c);
    const chosen = json["values"];
    return answered(
      c,
      people.press(
        text(json, "user"),
        text(json, "channel"),
        text(json, "message"),
        text(json, "customId"),
        Array.isArray(chosen) ? chosen.map(String) : undefined,
      ),
    );
  });

  app.post("/interactions/modal", async (c) => {
    const { json } = await readPageRequest(c);
    const inputs = Object.entries(values(json, "values")).map(([key, value]) => [
      key,
      String(value),
    ]);
    return answered(
      c,
      people.submit(text(json, "user"), text(json, "interaction"), Object.fromEntries(inputs)),
    );
  });

  app.get("/interactions/:interaction", (c) => {
    const { id } = people.follow(c.req.param("interaction"));
    return c.json(viewInteraction(id));
  });

  app.get("/events", (c) => {
    const userId = userOf(c);
    return streamSSE(c, async (stream) => {
      const send = (event: PlaygroundEvent) => stream.writeSSE({ data: JSON.stringify(event) });
      let sending: Promise<unknown> = Promise.resolve();
      const stop = world.subscribe((event) => {
        const shown = pageEvent(world, event, userId);
        if (shown) sending = sending.then(() => send(shown));
      });
      const ended = new Promise<void>((resolve) => stream.onAbort(resolve));
      const keepAlive = setInterval(() => {
        sending = sending.then(() => stream.write(": still here\n\n"));
      }, KEEP_ALIVE_MS);
      await stream.write(": connected\n\n");
      await ended;
      clearInterval(keepAlive);
      stop();
      await sending;
    });
  });

  app.onError((error, c) => {
    if (error instanceof PersonError) return c.json(refusal(error.message), 400);
    if (error instanceof ApiError) return c.json(refusal(error.body.message), error.status as 400);
    throw error;
  });

  async function answered(c: Context, interaction: PersonInteraction): Promise<Response> {
    await interaction.responded;
    return c.json(viewInteraction(interaction.id));
  }

  function viewInteraction(id: string): PlaygroundInteraction {
    const record = world.interactions.get(id);
    if (!record) throw new PersonError("There is no such interaction.");
    return pageInteraction(world, record);
  }

  function userOf(c: Context): string {
    return world.user(c.req.query("user") ?? "").id;
  }

  return app;
}

function refusal(message: string): PlaygroundError {
  return { message };
}
