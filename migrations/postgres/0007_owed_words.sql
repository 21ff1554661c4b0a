CREATE TABLE "owed_words" (
	"number" bigserial PRIMARY KEY NOT NULL,
	"nonce" text NOT NULL,
	"conversation_id" text NOT NULL,
	"guild_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"thread_id" text,
	"text" text NOT NULL,
	"is_silent" boolean NOT NULL,
	"after_id" text NOT NULL,
	"at_ms" bigint NOT NULL,
	"trigger" json
);
--> statement-breakpoint
CREATE UNIQUE INDEX "owed_words_nonce" ON "owed_words" USING btree ("nonce");--> statement-breakpoint
CREATE INDEX "owed_words_conversation" ON "owed_words" USING btree ("conversation_id");