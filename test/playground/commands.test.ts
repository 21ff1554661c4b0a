import { afterEach, beforeEach, expect, test } from "vitest";
import { type ManualClock, manualClock } from "../../src/playground/clock.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { ask, idOf } from "./api.js";

let loopback: TestLoopback;
let clock: ManualClock;

beforeEach(async () => {
  clock = manualClock();
  loopback = await startTestLoopback({ clock });
});

afterEach(() => loopback.close());

const base = () => `/applications/${loopback.world.application.id}`;
const put = (body: unknown) =>
  ask(loopback, "PUT", `${base()}/guilds/${loopback.guild.id}/commands`, body);
const command = (part: object = {}) => ({ name: "one", description: "One", ...part });
const option = (part: object = {}) => ({ name: "opt", description: "Opt", type: 3, ...part });
const accepts = async (part: object) => (await put([command(part)])).status === 200;

test("names follow Discord's pattern and are lower case", async () => {
  expect(await accepts({ name: "agent_create" })).toBe(true);
  expect(await accepts({ name: "größe" })).toBe(true);
  expect(await accepts({ name: "Upper" })).toBe(false);
  expect(await accepts({ name: "two words" })).toBe(false);
  expect(await accepts({ name: "x".repeat(33) })).toBe(false);
});

test("descriptions, options and choices have their limits", async () => {
  expect(await accepts({ description: "" })).toBe(false);
  expect(await accepts({ description: "d".repeat(101) })).toBe(false);
  const options = (count: number) =>
    Array.from({ length: count }, (_, index) => option({ name: `o${index}` }));
  expect(await accepts({ options: options(25) })).toBe(true);
  expect(await accepts({ options: options(26) })).toBe(false);
  expect(await accepts({ options: [option(), option()] })).toBe(false);
  const optional = option({ name: "a" });
  const required = option({ name: "b", required: true });
  expect(await accepts({ options: [required, optional] })).toBe(true);
  expect(await accepts({ options: [optional, required] })).toBe(false);
  const choices = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `c${index}`, value: `${index}` }));
  expect(await accepts({ options: [option({ choices: choices(25) })] })).toBe(true);
  expect(await accepts({ options: [option({ choices: choices(26) })] })).toBe(false);
  expect(await accepts({ options: [option({ choices: choices(1), autocomplete: true })] })).toBe(
    false,
  );
  const long = { name: "c", value: "v".repeat(101) };
  expect(await accepts({ options: [option({ choices: [long] })] })).toBe(false);
});

test("subcommands stand beside subcommands only", async () => {
  const sub = option({ name: "start", type: 1 });
  expect(await accepts({ options: [sub] })).toBe(true);
  expect(await accepts({ options: [sub, option()] })).toBe(false);
});

test("errors name the place in the body", async () => {
  const { body } = await put([
    command(),
    command({ name: "two", options: [option({ name: "Bad" })] }),
  ]);
  expect(body).toMatchObject({
    code: 50035,
    errors: { 1: { options: { 0: { name: { _errors: [{}] } } } } },
  });
});

test("a command of more than 8000 characters is refused", async () => {
  const choices = Array.from({ length: 25 }, (_, index) => ({
    name: `${index}`.padEnd(100, "n"),
    value: `${index}`.padEnd(100, "v"),
  }));
  expect(await accepts({ options: [option({ choices })] })).toBe(true);
  const two = [option({ name: "a", choices }), option({ name: "b", choices })];
  expect(await accepts({ options: two })).toBe(false);
});

test("one hundred slash commands fit, names are unique", async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => command({ name: `c${index}` }));
  expect((await put([command(), command()])).code).toBe(50035);
  expect((await put(many(101))).code).toBe(30032);
  expect((await put(many(100))).status).toBe(200);
});

test("sending a known name again is an update with the same id", async () => {
  const [before] = (await put([command()])).body as { id: string }[];
  const [after] = (await put([command({ description: "New" })])).body as {
    id: string;
    description: string;
  }[];
  expect(after).toMatchObject({ id: before?.id, description: "New" });
  const post = await ask(loopback, "POST", `${base()}/commands`, command());
  expect(post.status).toBe(201);
  const again = await ask(loopback, "POST", `${base()}/commands`, command());
  expect([again.status, idOf(again)]).toEqual([200, idOf(post)]);
});

test("two hundred creations a day are the limit, and updates do not count", async () => {
  const many = (prefix: string) =>
    Array.from({ length: 100 }, (_, index) => command({ name: `${prefix}${index}` }));
  expect((await put(many("a"))).status).toBe(200);
  expect((await put(many("a"))).status).toBe(200);
  expect((await put(many("b"))).status).toBe(200);
  expect((await put(many("c"))).code).toBe(30034);
  clock.advance(86_400_000);
  expect((await put(many("c"))).status).toBe(200);
});

test("commands of another application are out of reach", async () => {
  const refused = await ask(loopback, "GET", "/applications/123456789012345678/commands");
  expect(refused.code).toBe(50001);
  expect((await ask(loopback, "GET", `${base()}/commands/123456789012345678`)).code).toBe(10063);
});
