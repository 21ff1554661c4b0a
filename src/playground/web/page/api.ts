import type {
  Autocomplete,
  NewMessage,
  NewThreadRequest,
  PlaygroundChannel,
  PlaygroundChoices,
  PlaygroundCommand,
  PlaygroundError,
  PlaygroundInteraction,
  PlaygroundMessage,
  PlaygroundState,
  RunCommand,
  SubmitModal,
  UseComponent,
} from "../../peopleApi.js";

/** What the server would not do; the message is a sentence for the person. */
export class Refusal extends Error {}

export const API_PATH = "/playground/api";

/** The routes of `peopleApi.ts`, one function each. All of them may throw a `Refusal`. */
export const api = {
  state: () => get<PlaygroundState>("/state"),

  messages(channel: string, user: string, before?: string) {
    const query = new URLSearchParams({ user, ...(before === undefined ? {} : { before }) });
    return get<readonly PlaygroundMessage[]>(`/channels/${channel}/messages?${query}`);
  },

  send: (channel: string, message: NewMessage, files: readonly File[]) =>
    post<PlaygroundMessage>(
      `/channels/${channel}/messages`,
      message,
      files.map((file, index) => [`file${index}`, file]),
    ),

  edit: (channel: string, message: string, change: { user: string; content: string }) =>
    request<PlaygroundMessage>("PATCH", `/channels/${channel}/messages/${message}`, json(change)),

  remove: (channel: string, message: string, user: string) =>
    request<undefined>("DELETE", `/channels/${channel}/messages/${message}${as(user)}`),

  react(isOn: boolean, channel: string, message: string, emoji: string, user: string) {
    const path = `/channels/${channel}/messages/${message}/reactions/${encodeURIComponent(emoji)}`;
    return request<undefined>(isOn ? "PUT" : "DELETE", `${path}${as(user)}`);
  },

  createThread: (channel: string, thread: NewThreadRequest) =>
    post<PlaygroundChannel>(`/channels/${channel}/threads`, thread),

  deleteChannel: (channel: string, user: string) =>
    request<undefined>("DELETE", `/channels/${channel}${as(user)}`),

  typing: (channel: string, user: string) =>
    post<undefined>(`/channels/${channel}/typing`, { user }),

  commands(guild: string, user: string, channel: string) {
    const query = new URLSearchParams({ user, channel });
    return get<readonly PlaygroundCommand[]>(`/guilds/${guild}/commands?${query}`);
  },

  run: (command: RunCommand, files: readonly (readonly [string, File])[]) =>
    post<PlaygroundInteraction>("/interactions/command", command, files),

  suggest: (typed: Autocomplete) => post<PlaygroundChoices>("/interactions/autocomplete", typed),

  press: (component: UseComponent) =>
    post<PlaygroundInteraction>("/interactions/component", component),

  submit: (modal: SubmitModal) => post<PlaygroundInteraction>("/interactions/modal", modal),
} as const;

function get<T>(path: string): Promise<T> {
  return request<T>("GET", path);
}

function post<T>(
  path: string,
  body: object,
  files: readonly (readonly [string, File])[] = [],
): Promise<T> {
  if (files.length === 0) return request<T>("POST", path, json(body));
  const form = new FormData();
  form.set("payload", JSON.stringify(body));
  for (const [field, file] of files) form.set(field, file);
  return request<T>("POST", path, { body: form });
}

function json(body: object): RequestInit {
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

function as(user: string): string {
  return `?${new URLSearchParams({ user })}`;
}

async function request<T>(method: string, path: string, init: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${API_PATH}${path}`, { ...init, method });
  } catch (error) {
    throw new Refusal("The playground does not answer. Is it still running?", { cause: error });
  }
  if (!response.ok) throw new Refusal(await reasonOf(response));
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { message } = JSON.parse(text) as Partial<PlaygroundError>;
    if (typeof message === "string" && message !== "") return message;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `The playground answered with an error (${response.status}).`;
}
