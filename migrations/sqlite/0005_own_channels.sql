CREATE TABLE `chain_requests` (
	`chain_id` text NOT NULL,
	`place` integer NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`chain_id`, `place`)
);
--> statement-breakpoint
CREATE TABLE `exchange_threads` (
	`agent_id` text NOT NULL,
	`other_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`thread_id` text NOT NULL,
	PRIMARY KEY(`agent_id`, `other_id`, `channel_id`)
);
--> statement-breakpoint
CREATE INDEX `exchange_threads_thread` ON `exchange_threads` (`thread_id`);--> statement-breakpoint
ALTER TABLE `messages` ADD `chain` text;