/** Every number of the contract in one place. Durations end in `Ms`. */

/** Members of a group. */
export const MIN_MEMBERS = 2;
export const MAX_MEMBERS = 6;
/** A member with at least this score answers. */
export const SCORE_THRESHOLD = 0.5;
/** Replies in one round, handoffs included; a setting may lower it, nothing lifts it. */
export const MAX_REPLIES = 8;

/** Agents that a hosted chat may hold beside its host. */
export const MAX_PARTICIPANTS = 16;
/** How often each participant of a debate may be asked, and how often it is when nobody says. */
export const MAX_DEBATE_PASSES = 3;
export const DEBATE_PASSES = 2;
/** Characters that are kept of what a participant answers its host. */
export const PARTICIPANT_REPLY_CHARACTERS = 4_000;

/** Rounds in which the members of a moderated group speak in turn, at once. */
export const MAX_FLOOR_ROUNDS = 5;
/** Turns that one run of a moderating host may give, or one selection of speakers may have. */
export const MAX_GRANTED_TURNS = 24;
/** What a moderating host may do besides: calls of its model, votes, posts of its own. */
export const MAX_MODERATOR_CALLS = 60;
export const MAX_MODERATOR_VOTES = 8;
export const MAX_MODERATOR_POSTS = 24;
/** Replies in a row of a moderating host of which nothing can be done. It is told why each time. */
export const MAX_IDLE_REPLIES = 5;
/** Calls of one reply of a moderating host that are carried out. */
export const MAX_CALLS_AT_ONCE = 16;
/** Of the arguments of one call: far above what a post may have that is attached as a file. */
export const MAX_ARGUMENT_CHARACTERS = 100_000;
export const MIN_VOTE_OPTIONS = 2;
/** With fewer, the counts tell who voted what. */
export const MIN_SECRET_VOTERS = 2;
export const MAX_VOTE_OPTIONS = 10;
export const VOTE_OPTION_CHARACTERS = 80;
/** Of a topic, a goal, a question or an instruction. */
export const FLOOR_TEXT_CHARACTERS = 1_000;

/** Calls of tools in one turn in an agent's own channel. */
export const MAX_TOOL_STEPS = 8;
/** Messages in a row that agents write to each other without a person in between, answers included. */
export const CHAIN_MESSAGES = 8;
/** Requests and tasks that may come of one message of a person on all ways together: an agent may ask several. */
export const CHAIN_REQUESTS = 8;
/** Characters of a message from one agent to another. */
export const AGENT_MESSAGE_CHARACTERS = 4_000;
/** Messages that an agent reads of a channel at once, and how many it does when it does not say. */
export const MAX_READ_MESSAGES = 50;
export const READ_MESSAGES = 20;

/** What the judge sees. */
export const JUDGE_ROLE_CHARACTERS = 1_200;
export const JUDGE_HISTORY_MESSAGES = 12;
export const JUDGE_MESSAGE_CHARACTERS = 1_500;
/** Of a text file, in a message that the judge sees. */
export const JUDGE_FILE_CHARACTERS = 300;

/** Text files are read in up to this size, pictures shown up to theirs. */
export const TEXT_FILE_BYTES = 64 * 1_024;
export const IMAGE_BYTES = 8 * 1_024 * 1_024;
/** Pictures that go to a model at once: the newest of what was said since the agent's last turn. */
export const IMAGES_PER_TURN = 4;
/** Of the picture of an agent (Discord API, "Create Application Emoji"). */
export const PICTURE_BYTES = 256 * 1_024;

export const NAME_CHARACTERS = 32;
export const DISPLAY_NAME_CHARACTERS = 32;
export const PROMPT_CHARACTERS = 4_000;
export const TASK_CHARACTERS = 4_000;
export const CATEGORY_SUFFIX_CHARACTERS = 32;

/** Characters of one Discord message (Discord API, "Create Message"). */
export const MESSAGE_CHARACTERS = 2_000;
/** A reply longer than this is attached as a file, with its beginning shown. */
export const REPLY_AS_FILE_CHARACTERS = 10_000;
/** Characters of a text channel's topic (Discord API, "Modify Channel"). */
export const TOPIC_CHARACTERS = 1_024;

/** Tokens that a seat's prompt holds, unless the agent has a budget of its own. */
export const SEAT_TOKEN_BUDGET = 24_000;

/** Default time-outs; both adjustable. */
export const JUDGE_TIMEOUT_MS = 20_000;
export const TURN_TIMEOUT_MS = 120_000;
/** How long a hosted round waits for its participants, in each pass; adjustable. */
export const COLLECT_TIMEOUT_MS = 60_000;
/** A round, or a message that waits for one, older than this is not taken up again after a restart. */
export const STALE_ROUND_MS = 15 * 60_000;
/** How much the clocks of this machine and of Discord may differ, and how late an event may come. */
export const CLOCK_DIFFERENCE_MS = 5 * 60_000;
/** Time that the turn in flight has to finish when the process is asked to stop. */
export const SHUTDOWN_GRACE_MS = 20_000;
