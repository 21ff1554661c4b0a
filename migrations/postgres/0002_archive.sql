CREATE TABLE "left_groups" (
	"agent_id" text NOT NULL,
	"group_id" text NOT NULL,
	"was_host" boolean NOT NULL,
	"is_ended" boolean NOT NULL,
	CONSTRAINT "left_groups_agent_id_group_id_pk" PRIMARY KEY("agent_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "unmoved_channels" (
	"channel_id" text PRIMARY KEY NOT NULL,
	"guild_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "left_groups" ADD CONSTRAINT "left_groups_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "left_groups" ADD CONSTRAINT "left_groups_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "unmoved_channels_guild" ON "unmoved_channels" USING btree ("guild_id");