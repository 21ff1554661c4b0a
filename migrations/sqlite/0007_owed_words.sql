CREATE TABLE `owed_words` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`nonce` text NOT NULL,
	`conversation_id` text NOT NULL,
	`guild_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`thread_id` text,
	`text` text NOT NULL,
	`is_silent` integer NOT NULL,
	`after_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	`trigger` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `owed_words_nonce` ON `owed_words` (`nonce`);--> statement-breakpoint
CREATE INDEX `owed_words_conversation` ON `owed_words` (`conversation_id`);