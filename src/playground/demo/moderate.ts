import type { ModelReply, ModelRequest } from "../../ports/model.js";
import { demoMark } from "./reply.js";

/** As the host that moderates: every member gets one turn, in their order, and then it closes. */
export function demoModeration({ messages, tools }: ModelRequest): Pick<ModelReply, "toolCalls"> {
  const given = messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .filter(({ name }) => name === "grant_turn").length;
  const next = memberNames(tools)[given];
  const id = `demo-${given + 1}`;
  const call =
    next === undefined
      ? { name: "close", given: { summary: `${demoMark} Everybody has spoken.` } }
      : { name: "grant_turn", given: { agent: next } };
  return { toolCalls: [{ id, name: call.name, argumentsJson: JSON.stringify(call.given) }] };
}

/** Who can be given a turn, as the tool names them. */
function memberNames(tools: ModelRequest["tools"]): readonly string[] {
  const grant = tools?.find(({ name }) => name === "grant_turn");
  const { properties } = (grant?.parameters ?? {}) as {
    readonly properties?: { readonly agent?: { readonly enum?: readonly string[] } };
  };
  return properties?.agent?.enum ?? [];
}
