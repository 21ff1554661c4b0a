/**
 * What the demo model understands of our own prompts (`domain/prompts`): who is there, what their
 * roles are, and what was said. Reading never fails: what is not found is empty.
 */
import type { ModelRequest } from "../../ports/model.js";
import type { DemoMember } from "./score.js";

/** Something that was said, as the prompt shows it. */
export interface Said {
  readonly speaker: string;
  readonly isPerson: boolean;
  readonly text: string;
}

export interface SeatView {
  readonly displayName: string;
  readonly role: string;
  /** The members beside the speaker. */
  readonly others: readonly { readonly displayName: string; readonly role: string }[];
  /** What was said since the speaker's last turn. */
  readonly seen: readonly Said[];
}

/** The members that a judge is asked about, in the order of `names`, its keys in the answer. */
export function judgedMembers(
  request: ModelRequest,
  names: readonly string[],
): readonly DemoMember[] {
  const lines = systemText(request).split("\n");
  return names.map((name) => {
    const line = lines.find((one) => one.startsWith(`- ${name} (`)) ?? "";
    // A display name holds no colon, so that the first "): " ends it.
    const end = line.indexOf("): ");
    return { name, role: end === -1 ? "" : line.slice(end + 3) };
  });
}

/** The text of the messages that a judge is asked about. */
export function judgedMessage(request: ModelRequest): string {
  const text = userTexts(request)[0] ?? "";
  const heading = "New messages:\n";
  const at = text.startsWith(heading) ? 0 : text.lastIndexOf(`\n${heading}[`) + 1;
  return saidIn(at === 0 && !text.startsWith(heading) ? text : text.slice(at + heading.length))
    .map((said) => said.text)
    .join("\n");
}

/** The seat of a turn. */
export function seatView(request: ModelRequest): SeatView {
  const system = systemText(request);
  const displayName = /^You are (.+)\.$/m.exec(system)?.[1] ?? "";
  const roleStart = system.indexOf("Your role:\n");
  const role = roleStart === -1 ? "" : system.slice(roleStart + "Your role:\n".length);
  const roleEnd = role.lastIndexOf("\n\nYou take part in");
  return {
    displayName,
    role: (roleEnd === -1 ? role : role.slice(0, roleEnd)).trim(),
    others: membersIn(system).filter((member) => member.displayName !== displayName),
    seen: saidIn(userTexts(request).at(-1) ?? ""),
  };
}

/** What a participant of a hosted round is asked: the text after the newest header. */
export function forwardedText(request: ModelRequest): string {
  const text = userTexts(request).at(-1) ?? "";
  const parts = text.split(/^\[GROUPCHAT round=\S+ from [^\]]*\] /mu);
  return (parts.at(-1) ?? "").split(/\n(?=Reply once;|\(A debate of |\[)/u)[0] ?? "";
}

export function systemText(request: ModelRequest): string {
  return request.messages
    .filter((message) => message.role === "system")
    .map((message) => message.text)
    .join("\n");
}

export function userTexts(request: ModelRequest): readonly string[] {
  return request.messages.filter((message) => message.role === "user").map(({ text }) => text);
}

/** Labelled entries; text before the first label, and after a line of the bot's own, is left out. */
export function saidIn(text: string): readonly Said[] {
  const said: { speaker: string; isPerson: boolean; text: string }[] = [];
  let last: (typeof said)[number] | null = null;
  for (const line of text.split("\n")) {
    const label = /^\[((?:\\.|[^\][\\])+?)( \(person\))?\](?: |$)(.*)$/.exec(line);
    if (label !== null) {
      const [, speaker = "", person, rest = ""] = label;
      const isPerson = person !== undefined;
      last = isPerson || !isOurs(speaker) ? { speaker: bare(speaker), isPerson, text: rest } : null;
      if (last !== null) said.push(last);
    } else if (last !== null) last.text += `\n${line.replace(/^(\s*)\\/, "$1")}`;
  }
  return said.map((one) => ({ ...one, text: one.text.trim() }));
}

/** Lines in brackets that are the bot's own: no label of an agent has a colon that is not escaped. */
function isOurs(speaker: string): boolean {
  return /(?<!\\):|^(?:What the participants told you in|End of what the participants)/u.test(
    speaker,
  );
}

/** A name without the backslashes that it has where it looks like something of ours. */
function bare(name: string): string {
  return name.replace(/\\(.)/gu, "$1");
}

function membersIn(
  system: string,
): readonly { readonly displayName: string; readonly role: string }[] {
  // The last heading: a role before it may hold anything.
  const [, list = ""] = /[^]*\nMembers:\n((?:- .*\n?)*)/.exec(system) ?? [];
  return list.split("\n").flatMap((line) => {
    const colon = line.indexOf(": ");
    if (!line.startsWith("- ") || colon === -1) return [];
    const displayName = bare(line.slice(2, colon).replace(/ \((?:you|host|you, host)\)$/, ""));
    return [{ displayName, role: line.slice(colon + 2) }];
  });
}
