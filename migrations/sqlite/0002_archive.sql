CREATE TABLE `left_groups` (
	`agent_id` text NOT NULL,
	`group_id` text NOT NULL,
	`was_host` integer NOT NULL,
	`is_ended` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `group_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `unmoved_channels` (
	`channel_id` text PRIMARY KEY NOT NULL,
	`guild_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `unmoved_channels_guild` ON `unmoved_channels` (`guild_id`);