CREATE TABLE `hosted_chats` (
	`channel_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`guild_id` text NOT NULL,
	`host_id` text NOT NULL,
	`started_at_ms` integer NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `hosted_chats_guild` ON `hosted_chats` (`guild_id`);--> statement-breakpoint
CREATE TABLE `hosted_participants` (
	`channel_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `agent_id`),
	FOREIGN KEY (`channel_id`) REFERENCES `hosted_chats`(`channel_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `hosted_participants_agent` ON `hosted_participants` (`agent_id`);--> statement-breakpoint
CREATE TABLE `obeyed` (
	`message_id` text PRIMARY KEY NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `messages` ADD `debate_passes` integer;