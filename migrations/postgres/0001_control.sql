CREATE TABLE "former_texts" (
	"message_id" text NOT NULL,
	"seq" integer NOT NULL,
	"text" text NOT NULL,
	"replaced_at_ms" bigint NOT NULL,
	CONSTRAINT "former_texts_message_id_seq_pk" PRIMARY KEY("message_id","seq")
);
--> statement-breakpoint
CREATE TABLE "status_lines" (
	"button_id" text PRIMARY KEY NOT NULL,
	"conversation_id" text NOT NULL,
	"guild_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"thread_id" text,
	"after_id" text NOT NULL,
	"message_id" text
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "asked_id" text;