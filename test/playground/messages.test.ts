import { PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { type ManualClock, manualClock } from "../../src/playground/clock.js";
import { setOverwrite } from "../../src/playground/world/channels.js";
import { createPerson, setRolePermissions } from "../../src/playground/world/guilds.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { type Answer, ask, idOf } from "./api.js";

let loopback: TestLoopback;
let clock: ManualClock;

beforeEach(async () => {
  clock = manualClock();
  loopback = await startTestLoopback({ clock });
});

afterEach(() => loopback.close());

const path = (rest = "") => `/channels/${loopback.channelId}/messages${rest}`;
const send = (body: object): Promise<Answer> => ask(loopback, "POST", path(), body);
const say = (text: string) => loopback.people.post(loopback.owner.id, loopback.channelId, text);
const texts = ({ body }: Answer) =>
  Array.isArray(body) ? body.map((message: { content: string }) => message.content) : body;
/** Changes what the bot's role may do. */
const allow = (permissions: bigint) =>
  setRolePermissions(loopback.world, loopback.guild, loopback.botRole, permissions);
/** Takes permissions from the bot in the channel. */
const deny = (permissions: bigint) =>
  setOverwrite(loopback.world, loopback.world.channel(loopback.channelId), {
    id: loopback.world.application.botUserId,
    type: 1,
    allow: 0n,
    deny: permissions,
  });

test("an empty or blank message is refused with 50006, a long one with 50035", async () => {
  expect(await send({ content: "" })).toMatchObject({ status: 400, code: 50006 });
  expect(await send({ content: " \n " })).toMatchObject({ status: 400, code: 50006 });
  expect(await send({ content: "x".repeat(2000) })).toMatchObject({ status: 200 });
  expect((await send({ content: "x".repeat(2001) })).body).toEqual({
    code: 50035,
    message: "Invalid Form Body",
    errors: {
      content: {
        _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }],
      },
    },
  });
});

test("text is trimmed", async () => {
  expect((await send({ content: "  a  b \n" })).body).toMatchObject({ content: "a  b" });
});

test("the same nonce gives the first message again for some minutes, when enforced", async () => {
  const first = await send({ content: "one", nonce: "n1", enforce_nonce: true });
  expect(idOf(await send({ content: "two", nonce: "n1", enforce_nonce: true }))).toBe(idOf(first));
  expect(idOf(await send({ content: "two", nonce: "n1" }))).not.toBe(idOf(first));
  clock.advance(10 * 60_000);
  expect(idOf(await send({ content: "three", nonce: "n1", enforce_nonce: true }))).not.toBe(
    idOf(first),
  );
  expect((await send({ content: "x", nonce: "n".repeat(26) })).code).toBe(50035);
});

test("a list goes back from a message, on from it, or around it, newest first", async () => {
  const ids = ["a", "b", "c", "d", "e"].map((text) => say(text).id);
  const list = async (query: string) => texts(await ask(loopback, "GET", path(query)));
  expect(await list("?limit=2")).toEqual(["e", "d"]);
  expect(await list(`?before=${ids[2]}`)).toEqual(["b", "a"]);
  expect(await list(`?after=${ids[1]}&limit=2`)).toEqual(["d", "c"]);
  expect(await list(`?around=${ids[2]}&limit=3`)).toEqual(["d", "c", "b"]);
  expect((await ask(loopback, "GET", path("?limit=101"))).code).toBe(50035);
  expect((await ask(loopback, "GET", path("?after=abc"))).code).toBe(50035);
});

test("without Read Message History the list is empty and one message is refused", async () => {
  const { id } = say("hidden");
  deny(Permission.ReadMessageHistory);
  expect(texts(await ask(loopback, "GET", path()))).toEqual([]);
  expect((await ask(loopback, "GET", path(`/${id}`))).code).toBe(50013);
  const reply = await send({ content: "x", message_reference: { message_id: id } });
  expect(reply.code).toBe(160002);
});

test("a channel that the bot cannot see is 50001, one where it may not write 50013", async () => {
  deny(Permission.SendMessages);
  expect(await send({ content: "x" })).toMatchObject({ status: 403, code: 50013 });
  expect((await ask(loopback, "POST", `/channels/${loopback.channelId}/typing`)).code).toBe(50013);
  deny(Permission.ViewChannel);
  expect(await send({ content: "x" })).toMatchObject({ status: 403, code: 50001 });
  expect((await ask(loopback, "GET", `/channels/${loopback.channelId}`)).code).toBe(50001);
});

test("embeds and files need their permissions", async () => {
  deny(Permission.EmbedLinks);
  expect((await send({ embeds: [{ title: "x" }] })).code).toBe(50013);
  allow(NEEDED_BITS | Permission.Administrator);
  expect((await send({ embeds: [{ title: "x" }] })).status).toBe(200);
});

test("a reply carries its target, and a missing target is an error unless said otherwise", async () => {
  const target = say("question");
  const reply = await send({ content: "answer", message_reference: { message_id: target.id } });
  expect(reply.body).toMatchObject({
    type: 19,
    message_reference: { message_id: target.id, channel_id: loopback.channelId },
    referenced_message: { content: "question" },
    mentions: [{ id: loopback.owner.id }],
  });
  const missing = { message_id: "123456789012345678" };
  expect((await send({ content: "x", message_reference: missing })).body).toMatchObject({
    code: 50035,
    errors: { message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE" }] } },
  });
  const loose = await send({
    content: "x",
    message_reference: { ...missing, fail_if_not_exists: false },
  });
  expect(loose.body).toMatchObject({ type: 0 });
});

test("a reply whose target was deleted says so with null", async () => {
  const target = say("question");
  const reply = await send({ content: "answer", message_reference: { message_id: target.id } });
  loopback.people.remove(loopback.owner.id, loopback.channelId, target.id);
  const again = await ask(loopback, "GET", path(`/${idOf(reply)}`));
  expect(again.body).toMatchObject({ referenced_message: null });
});

test("mentions count only when allowed, permitted, and outside of code", async () => {
  const { owner, guild } = loopback;
  const mentions = async (content: string, allowed?: object) => {
    const { body } = await send({ content, ...(allowed ? { allowed_mentions: allowed } : {}) });
    return body as {
      mentions: { id: string }[];
      mention_everyone: boolean;
      mention_roles: string[];
    };
  };
  expect((await mentions(`<@${owner.id}>`)).mentions).toHaveLength(1);
  expect((await mentions(`<@!${owner.id}>`)).mentions).toHaveLength(1);
  expect((await mentions(`\`<@${owner.id}>\``)).mentions).toEqual([]);
  expect((await mentions(`<@${owner.id}>`, { parse: [] })).mentions).toEqual([]);
  expect((await mentions("@everyone")).mention_everyone).toBe(true);
  expect((await mentions("@everyone", { parse: ["users"] })).mention_everyone).toBe(false);
  expect((await mentions(`<@&${loopback.botRole.id}>`)).mention_roles).toEqual([
    loopback.botRole.id,
  ]);
  const everyone = guild.roles.get(guild.id);
  if (everyone) {
    setRolePermissions(
      loopback.world,
      guild,
      everyone,
      everyone.permissions & ~Permission.MentionEveryone,
    );
  }
  expect((await mentions("@everyone")).mention_everyone).toBe(false);
  expect((await mentions(`<@&${loopback.botRole.id}>`)).mention_roles).toEqual([]);
});

test("a list of users together with parsing users is refused", async () => {
  const refused = await send({
    content: "x",
    allowed_mentions: { parse: ["users"], users: [loopback.owner.id] },
  });
  expect(refused.code).toBe(50035);
});

test("only its author edits a message, and managers delete any", async () => {
  const { id } = say("mine");
  expect((await ask(loopback, "PATCH", path(`/${id}`), { content: "x" })).code).toBe(50005);
  expect((await ask(loopback, "DELETE", path(`/${id}`))).code).toBe(50013);
  allow(NEEDED_BITS | Permission.ManageMessages);
  expect((await ask(loopback, "DELETE", path(`/${id}`))).status).toBe(204);
  expect((await ask(loopback, "GET", path(`/${id}`))).code).toBe(10008);
});

test("an edit changes the text and the time of the edit, and can empty nothing", async () => {
  const sent = await send({ content: "one" });
  clock.advance(1000);
  const edited = await ask(loopback, "PATCH", path(`/${idOf(sent)}`), { content: "two" });
  expect(edited.body).toMatchObject({
    content: "two",
    edited_timestamp: "2026-01-05T12:00:01.000000+00:00",
  });
  expect((await ask(loopback, "PATCH", path(`/${idOf(sent)}`), { content: "" })).code).toBe(50006);
});

test("bulk deletion takes 2 to 100 messages younger than two weeks", async () => {
  allow(NEEDED_BITS | Permission.ManageMessages);
  const old = say("old").id;
  clock.advance(15 * 86_400_000);
  const [first, second] = [say("a").id, say("b").id];
  const bulk = (messages: string[]) => ask(loopback, "POST", path("/bulk-delete"), { messages });
  expect((await bulk([first])).code).toBe(50016);
  expect((await bulk([old, first])).code).toBe(50034);
  expect((await bulk([first, second])).status).toBe(204);
  expect(texts(await ask(loopback, "GET", path()))).toEqual(["old"]);
});

test("files are kept and served under the link in the message", async () => {
  const body = new FormData();
  body.append("payload_json", JSON.stringify({ content: "see" }));
  body.append("files[0]", new Blob(["hello"], { type: "text/plain" }), "a note.txt");
  const response = await fetch(`${loopback.apiUrl}/v10${path()}`, {
    method: "POST",
    headers: { authorization: `Bot ${loopback.token}` },
    body,
  });
  const message = (await response.json()) as {
    attachments: { url: string; filename: string; size: number }[];
  };
  const [file] = message.attachments;
  expect(file).toMatchObject({ filename: "a_note.txt", size: 5, content_type: "text/plain" });
  const served = await fetch(file?.url ?? "");
  expect(await served.text()).toBe("hello");
  expect(served.headers.get("x-content-type-options")).toBe("nosniff");
});

test("a file over 10 MiB is refused with 40005", async () => {
  const body = new FormData();
  body.append("payload_json", "{}");
  body.append("files[0]", new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]), "big.bin");
  const response = await fetch(`${loopback.apiUrl}/v10${path()}`, {
    method: "POST",
    headers: { authorization: `Bot ${loopback.token}` },
    body,
  });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ code: 40005 });
});

test("components are checked: rows of buttons with unique custom ids", async () => {
  const button = (custom_id: string) => ({ type: 2, style: 1, label: "x", custom_id });
  const row = (...components: object[]) => ({ type: 1, components });
  const status = async (...components: object[]) =>
    (await send({ content: "x", components })).status;
  expect(await status(row(button("a"), button("b")))).toBe(200);
  expect(await status(row(button("a"), button("a")))).toBe(400);
  expect(await status(button("a"))).toBe(400);
  expect(await status(row())).toBe(400);
  expect(await status(row(...["a", "b", "c", "d", "e", "f"].map(button)))).toBe(400);
  expect(await status(row({ type: 2, style: 1, custom_id: "a" }))).toBe(400);
  expect(await status(row(button("x".repeat(101))))).toBe(400);
});

test("a filtered word is refused with 200000", async () => {
  loopback.world.wordFilters = { channelNames: [], messages: ["forbidden"] };
  expect((await send({ content: "a forbidden word" })).code).toBe(200000);
});

test("a body that cannot be read is refused, not a fault of the server", async () => {
  const post = async (type: string, body: string) => {
    const headers = { authorization: `Bot ${loopback.token}`, "content-type": type };
    const response = await fetch(`${loopback.apiUrl}/v10${path()}`, {
      method: "POST",
      headers,
      body,
    });
    return [response.status, ((await response.json()) as { code: number }).code];
  };
  expect(await post("application/json", "{no json")).toEqual([400, 50109]);
  expect(await post("application/json", "[1]")).toEqual([400, 50109]);
  expect(await post("multipart/form-data; boundary=x", "no parts")).toEqual([400, 50109]);
});

test("what is unknown, foreign or without a token has Discord's codes", async () => {
  const stranger = createPerson(loopback.world, "Stranger");
  const code = async (route: string) => (await ask(loopback, "GET", route)).code;
  expect(await code("/channels/123456789012345678")).toBe(10003);
  expect(await code("/guilds/123456789012345678")).toBe(10004);
  expect(await code("/users/123456789012345678")).toBe(10013);
  expect(await code(`/guilds/${loopback.guild.id}/members/${stranger.id}`)).toBe(10007);
  expect((await ask(loopback, "GET", "/nowhere")).status).toBe(404);
  expect((await ask(loopback, "GET", "/users/@me", undefined, { token: false })).status).toBe(401);
  expect((await ask(loopback, "GET", "/users/@me", undefined, { token: "no" })).status).toBe(401);
});
