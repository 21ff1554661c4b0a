CREATE TABLE "hosted_chats" (
	"channel_id" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"guild_id" text NOT NULL,
	"host_id" text NOT NULL,
	"started_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "hosted_participants" (
	"channel_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "hosted_participants_channel_id_agent_id_pk" PRIMARY KEY("channel_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "obeyed" (
	"message_id" text PRIMARY KEY NOT NULL,
	"at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "debate_passes" integer;--> statement-breakpoint
ALTER TABLE "hosted_chats" ADD CONSTRAINT "hosted_chats_host_id_agents_id_fk" FOREIGN KEY ("host_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hosted_participants" ADD CONSTRAINT "hosted_participants_channel_id_hosted_chats_channel_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."hosted_chats"("channel_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hosted_participants" ADD CONSTRAINT "hosted_participants_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hosted_chats_guild" ON "hosted_chats" USING btree ("guild_id");--> statement-breakpoint
CREATE INDEX "hosted_participants_agent" ON "hosted_participants" USING btree ("agent_id");