CREATE TABLE "feed" (
	"number" bigint NOT NULL,
	"at_ms" bigint NOT NULL,
	"channel_id" text NOT NULL,
	"message_id" text,
	"round_id" text,
	"seq" integer
);
--> statement-breakpoint
CREATE TABLE "feed_counter" (
	"id" text PRIMARY KEY NOT NULL,
	"value" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "floor_hints" (
	"conversation_id" text NOT NULL,
	"floor_id" text NOT NULL,
	"user_id" text NOT NULL,
	CONSTRAINT "floor_hints_conversation_id_floor_id_user_id_pk" PRIMARY KEY("conversation_id","floor_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "floors" (
	"conversation_id" text PRIMARY KEY NOT NULL,
	"floor_id" text NOT NULL,
	"topic" text,
	"opened_by" text NOT NULL,
	"opened_at_ms" bigint NOT NULL,
	"closed_at_ms" bigint
);
--> statement-breakpoint
CREATE UNIQUE INDEX "feed_number" ON "feed" USING btree ("number");--> statement-breakpoint
CREATE INDEX "feed_channel" ON "feed" USING btree ("channel_id","number");