/**
 * Numbers of Discord's protocol under their names. The browser cannot load the package that holds
 * them, so they are written out here; the compiler checks each against its name.
 */
import type {
  ApplicationCommandOptionType,
  ButtonStyle,
  ComponentType,
  TextInputStyle,
} from "discord-api-types/v10";

export const COMPONENT = {
  actionRow: number<ComponentType.ActionRow>("1"),
  button: number<ComponentType.Button>("2"),
  stringSelect: number<ComponentType.StringSelect>("3"),
  textInput: number<ComponentType.TextInput>("4"),
  userSelect: number<ComponentType.UserSelect>("5"),
  roleSelect: number<ComponentType.RoleSelect>("6"),
  mentionableSelect: number<ComponentType.MentionableSelect>("7"),
  channelSelect: number<ComponentType.ChannelSelect>("8"),
  section: number<ComponentType.Section>("9"),
  textDisplay: number<ComponentType.TextDisplay>("10"),
  mediaGallery: number<ComponentType.MediaGallery>("12"),
  file: number<ComponentType.File>("13"),
  separator: number<ComponentType.Separator>("14"),
  container: number<ComponentType.Container>("17"),
  label: number<ComponentType.Label>("18"),
} as const;

export const BUTTON = {
  primary: number<ButtonStyle.Primary>("1"),
  secondary: number<ButtonStyle.Secondary>("2"),
  success: number<ButtonStyle.Success>("3"),
  danger: number<ButtonStyle.Danger>("4"),
  link: number<ButtonStyle.Link>("5"),
} as const;

export const OPTION = {
  subcommand: number<ApplicationCommandOptionType.Subcommand>("1"),
  group: number<ApplicationCommandOptionType.SubcommandGroup>("2"),
  string: number<ApplicationCommandOptionType.String>("3"),
  integer: number<ApplicationCommandOptionType.Integer>("4"),
  boolean: number<ApplicationCommandOptionType.Boolean>("5"),
  user: number<ApplicationCommandOptionType.User>("6"),
  channel: number<ApplicationCommandOptionType.Channel>("7"),
  role: number<ApplicationCommandOptionType.Role>("8"),
  mentionable: number<ApplicationCommandOptionType.Mentionable>("9"),
  number: number<ApplicationCommandOptionType.Number>("10"),
  attachment: number<ApplicationCommandOptionType.Attachment>("11"),
} as const;

export const PARAGRAPH = number<TextInputStyle.Paragraph>("2");

/** Kinds of application commands, as the playground's interface names them. */
export const COMMAND = { slash: 1, messageMenu: 3 } as const;

/** Kinds of messages, likewise. */
export const MESSAGE = {
  default: 0,
  pinned: 6,
  joined: 7,
  threadCreated: 18,
  reply: 19,
  command: 20,
  menu: 23,
} as const;

/** Takes the digits as text because the compiler can compare them with the name's number so. */
function number<T extends number>(digits: `${T}`): T {
  return Number(digits) as T;
}
