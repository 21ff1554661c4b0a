CREATE TABLE "agents" (
	"id" text PRIMARY KEY NOT NULL,
	"guild_id" text NOT NULL,
	"name" text NOT NULL,
	"display_name" text NOT NULL,
	"display_key" text NOT NULL,
	"prompt" text NOT NULL,
	"model" text,
	"picture_emoji_id" text,
	"picture_url" text,
	"category" text NOT NULL,
	"channel_id" text,
	"token_budget" integer,
	"created_at_ms" bigint NOT NULL,
	"archived_at_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "group_members" (
	"group_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"position" integer NOT NULL,
	"is_muted" boolean NOT NULL,
	CONSTRAINT "group_members_group_id_agent_id_pk" PRIMARY KEY("group_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" text PRIMARY KEY NOT NULL,
	"guild_id" text NOT NULL,
	"name" text NOT NULL,
	"display_name" text NOT NULL,
	"display_key" text NOT NULL,
	"kind" text NOT NULL,
	"category" text NOT NULL,
	"channel_id" text,
	"host_id" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"archived_at_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"order_key" text NOT NULL,
	"guild_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"thread_id" text,
	"conversation_id" text NOT NULL,
	"user_id" text,
	"agent_id" text,
	"author_name" text NOT NULL,
	"text" text NOT NULL,
	"attachments" json NOT NULL,
	"reply_to_id" text,
	"created_at_ms" bigint NOT NULL,
	"edited_at_ms" bigint,
	"deleted_at_ms" bigint,
	"round_id" text,
	"turn" integer,
	"seen_through_id" text,
	"is_pending" boolean NOT NULL,
	"started_round_id" text
);
--> statement-breakpoint
CREATE TABLE "names" (
	"guild_id" text NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "names_guild_id_name_pk" PRIMARY KEY("guild_id","name")
);
--> statement-breakpoint
CREATE TABLE "round_events" (
	"round_id" text NOT NULL,
	"seq" integer NOT NULL,
	"at_ms" bigint NOT NULL,
	"event" json NOT NULL,
	CONSTRAINT "round_events_round_id_seq_pk" PRIMARY KEY("round_id","seq")
);
--> statement-breakpoint
CREATE TABLE "rounds" (
	"id" text PRIMARY KEY NOT NULL,
	"group_id" text NOT NULL,
	"kind" text NOT NULL,
	"guild_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"thread_id" text,
	"conversation_id" text NOT NULL,
	"trigger_id" text NOT NULL,
	"trigger_key" text NOT NULL,
	"opened_at_ms" bigint NOT NULL,
	"closed_at_ms" bigint,
	"length" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at_ms" bigint NOT NULL,
	"guild_id" text NOT NULL,
	"group_id" text,
	"round_id" text,
	"agent_id" text,
	"user_id" text,
	"purpose" text NOT NULL,
	"model" text NOT NULL,
	"input_tokens" integer,
	"output_tokens" integer,
	"cached_tokens" integer,
	"duration_ms" bigint NOT NULL,
	"outcome" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"channel_id" text PRIMARY KEY NOT NULL,
	"webhook_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_host_id_agents_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "round_events" ADD CONSTRAINT "round_events_round_id_rounds_id_fk" FOREIGN KEY ("round_id") REFERENCES "public"."rounds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agents_name" ON "agents" USING btree ("guild_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_live_display_key" ON "agents" USING btree ("guild_id","display_key") WHERE archived_at_ms is null;--> statement-breakpoint
CREATE INDEX "agents_display_key" ON "agents" USING btree ("guild_id","display_key");--> statement-breakpoint
CREATE INDEX "agents_channel" ON "agents" USING btree ("channel_id");--> statement-breakpoint
CREATE INDEX "agents_created" ON "agents" USING btree ("guild_id","created_at_ms");--> statement-breakpoint
CREATE INDEX "group_members_agent" ON "group_members" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "groups_name" ON "groups" USING btree ("guild_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_live_display_key" ON "groups" USING btree ("guild_id","display_key") WHERE archived_at_ms is null;--> statement-breakpoint
CREATE INDEX "groups_display_key" ON "groups" USING btree ("guild_id","display_key");--> statement-breakpoint
CREATE INDEX "groups_channel" ON "groups" USING btree ("channel_id");--> statement-breakpoint
CREATE INDEX "groups_created" ON "groups" USING btree ("guild_id","created_at_ms");--> statement-breakpoint
CREATE INDEX "messages_order" ON "messages" USING btree ("conversation_id","order_key");--> statement-breakpoint
CREATE INDEX "messages_live_order" ON "messages" USING btree ("conversation_id","order_key") WHERE deleted_at_ms is null;--> statement-breakpoint
CREATE INDEX "messages_pending" ON "messages" USING btree ("conversation_id","order_key") WHERE is_pending;--> statement-breakpoint
CREATE UNIQUE INDEX "rounds_trigger" ON "rounds" USING btree ("trigger_id");--> statement-breakpoint
CREATE INDEX "rounds_conversation" ON "rounds" USING btree ("conversation_id","opened_at_ms","trigger_key");--> statement-breakpoint
CREATE INDEX "rounds_unfinished" ON "rounds" USING btree ("opened_at_ms","trigger_key") WHERE closed_at_ms is null;--> statement-breakpoint
CREATE INDEX "usage_guild" ON "usage" USING btree ("guild_id","at_ms");--> statement-breakpoint
CREATE INDEX "usage_round" ON "usage" USING btree ("round_id");