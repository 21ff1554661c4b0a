CREATE TABLE "chain_requests" (
	"chain_id" text NOT NULL,
	"place" integer NOT NULL,
	"key" text NOT NULL,
	CONSTRAINT "chain_requests_chain_id_place_pk" PRIMARY KEY("chain_id","place")
);
--> statement-breakpoint
CREATE TABLE "exchange_threads" (
	"agent_id" text NOT NULL,
	"other_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"thread_id" text NOT NULL,
	CONSTRAINT "exchange_threads_agent_id_other_id_channel_id_pk" PRIMARY KEY("agent_id","other_id","channel_id")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "chain" json;--> statement-breakpoint
CREATE INDEX "exchange_threads_thread" ON "exchange_threads" USING btree ("thread_id");