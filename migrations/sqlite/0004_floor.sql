CREATE TABLE `feed` (
	`number` integer NOT NULL,
	`at_ms` integer NOT NULL,
	`channel_id` text NOT NULL,
	`message_id` text,
	`round_id` text,
	`seq` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `feed_number` ON `feed` (`number`);--> statement-breakpoint
CREATE INDEX `feed_channel` ON `feed` (`channel_id`,`number`);--> statement-breakpoint
CREATE TABLE `feed_counter` (
	`id` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `floor_hints` (
	`conversation_id` text NOT NULL,
	`floor_id` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`conversation_id`, `floor_id`, `user_id`)
);
--> statement-breakpoint
CREATE TABLE `floors` (
	`conversation_id` text PRIMARY KEY NOT NULL,
	`floor_id` text NOT NULL,
	`topic` text,
	`opened_by` text NOT NULL,
	`opened_at_ms` integer NOT NULL,
	`closed_at_ms` integer
);
