CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`guild_id` text NOT NULL,
	`name` text NOT NULL,
	`display_name` text NOT NULL,
	`display_key` text NOT NULL,
	`prompt` text NOT NULL,
	`model` text,
	`picture_emoji_id` text,
	`picture_url` text,
	`category` text NOT NULL,
	`channel_id` text,
	`token_budget` integer,
	`created_at_ms` integer NOT NULL,
	`archived_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `agents_name` ON `agents` (`guild_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_live_display_key` ON `agents` (`guild_id`,`display_key`) WHERE archived_at_ms is null;--> statement-breakpoint
CREATE INDEX `agents_display_key` ON `agents` (`guild_id`,`display_key`);--> statement-breakpoint
CREATE INDEX `agents_channel` ON `agents` (`channel_id`);--> statement-breakpoint
CREATE INDEX `agents_created` ON `agents` (`guild_id`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `group_members` (
	`group_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`position` integer NOT NULL,
	`is_muted` integer NOT NULL,
	PRIMARY KEY(`group_id`, `agent_id`),
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `group_members_agent` ON `group_members` (`agent_id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`guild_id` text NOT NULL,
	`name` text NOT NULL,
	`display_name` text NOT NULL,
	`display_key` text NOT NULL,
	`kind` text NOT NULL,
	`category` text NOT NULL,
	`channel_id` text,
	`host_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`archived_at_ms` integer,
	FOREIGN KEY (`host_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `groups_name` ON `groups` (`guild_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `groups_live_display_key` ON `groups` (`guild_id`,`display_key`) WHERE archived_at_ms is null;--> statement-breakpoint
CREATE INDEX `groups_display_key` ON `groups` (`guild_id`,`display_key`);--> statement-breakpoint
CREATE INDEX `groups_channel` ON `groups` (`channel_id`);--> statement-breakpoint
CREATE INDEX `groups_created` ON `groups` (`guild_id`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`order_key` text NOT NULL,
	`guild_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`thread_id` text,
	`conversation_id` text NOT NULL,
	`user_id` text,
	`agent_id` text,
	`author_name` text NOT NULL,
	`text` text NOT NULL,
	`attachments` text NOT NULL,
	`reply_to_id` text,
	`created_at_ms` integer NOT NULL,
	`edited_at_ms` integer,
	`deleted_at_ms` integer,
	`round_id` text,
	`turn` integer,
	`seen_through_id` text,
	`is_pending` integer NOT NULL,
	`started_round_id` text
);
--> statement-breakpoint
CREATE INDEX `messages_order` ON `messages` (`conversation_id`,`order_key`);--> statement-breakpoint
CREATE INDEX `messages_live_order` ON `messages` (`conversation_id`,`order_key`) WHERE deleted_at_ms is null;--> statement-breakpoint
CREATE INDEX `messages_pending` ON `messages` (`conversation_id`,`order_key`) WHERE is_pending;--> statement-breakpoint
CREATE TABLE `names` (
	`guild_id` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`guild_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `round_events` (
	`round_id` text NOT NULL,
	`seq` integer NOT NULL,
	`at_ms` integer NOT NULL,
	`event` text NOT NULL,
	PRIMARY KEY(`round_id`, `seq`),
	FOREIGN KEY (`round_id`) REFERENCES `rounds`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `rounds` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`kind` text NOT NULL,
	`guild_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`thread_id` text,
	`conversation_id` text NOT NULL,
	`trigger_id` text NOT NULL,
	`trigger_key` text NOT NULL,
	`opened_at_ms` integer NOT NULL,
	`closed_at_ms` integer,
	`length` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rounds_trigger` ON `rounds` (`trigger_id`);--> statement-breakpoint
CREATE INDEX `rounds_conversation` ON `rounds` (`conversation_id`,`opened_at_ms`,`trigger_key`);--> statement-breakpoint
CREATE INDEX `rounds_unfinished` ON `rounds` (`opened_at_ms`,`trigger_key`) WHERE closed_at_ms is null;--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`guild_id` text NOT NULL,
	`group_id` text,
	`round_id` text,
	`agent_id` text,
	`user_id` text,
	`purpose` text NOT NULL,
	`model` text NOT NULL,
	`input_tokens` integer,
	`output_tokens` integer,
	`cached_tokens` integer,
	`duration_ms` integer NOT NULL,
	`outcome` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_guild` ON `usage` (`guild_id`,`at_ms`);--> statement-breakpoint
CREATE INDEX `usage_round` ON `usage` (`round_id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`channel_id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL
);
